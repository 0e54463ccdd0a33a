import { useRouter, type ErrorComponentProps } from '@tanstack/react-router';
import { ErrorState } from './error-state';
import { PageHeader } from './page-header';

/** In the place of a page whose data could not be loaded. */
export function RouteError({ error }: ErrorComponentProps) {
  const router = useRouter();
  return (
    <div className="page">
      <PageHeader title="This page cannot be shown" />
      <ErrorState
        error={error instanceof Error ? error : new Error(String(error))}
        onRetry={() => void router.invalidate()}
      />
    </div>
  );
}
