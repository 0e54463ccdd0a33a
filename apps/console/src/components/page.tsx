import { type ErrorComponentProps, Link, useRouter } from '@tanstack/react-router';
import { type ReactNode, useEffect } from 'react';
import { EmptyState, ErrorState, Skeleton } from './states';

interface PageHeaderProps {
  /** The only heading of the first level; also the title of the window. */
  readonly title: string;
  readonly description?: ReactNode;
  /** Buttons that act on the whole page. */
  readonly actions?: ReactNode;
  /** True if the subject of the page stands elsewhere: the heading is for screen readers. */
  readonly isHidden?: boolean;
}

export function PageHeader({ title, description, actions, isHidden = false }: PageHeaderProps) {
  useTitle(title);
  return (
    <header className={isHidden ? 'visually-hidden' : 'page-header'}>
      <div>
        <h1>{title}</h1>
        {description !== undefined && <p className="soft">{description}</p>}
      </div>
      {actions !== undefined && <div className="actions">{actions}</div>}
    </header>
  );
}

/** Sets the title of the window. */
export const useTitle = (title: string) =>
  useEffect(() => {
    document.title = `${title} · Ledgerline`;
  }, [title]);

/** In the place of a page whose code or data is loading. */
export const PageSkeleton = () => (
  <div className="page">
    <Skeleton lines={9} label="the page" />
  </div>
);

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

/** For addresses without a page, and for what the person may not see. */
export const NotFound = () => (
  <div className="page">
    <PageHeader title="Not found" />
    <EmptyState title="There is no such page">
      <p>
        It may be deleted, or of an organization that you are not in. <Link to="/">Go to your websites</Link>
      </p>
    </EmptyState>
  </div>
);

/** The mark and name of the product. */
export const Brand = () => (
  <span className="brand">
    <svg viewBox="0 0 32 32" width="28" height="28" aria-hidden="true">
      <rect width="32" height="32" rx="7" />
      <path d="M9 8v16M9 24h14M14 19v-4M19 19V9" />
    </svg>
    <span className="name">Ledgerline</span>
  </span>
);
