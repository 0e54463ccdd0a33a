import { useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useCreateApiKey } from '../../api/api-keys';
import { websitesQuery } from '../../api/websites';
import { PageHeader } from '../../components/page-header';
import { ApiKeyForm } from './api-key-form';
import { SecretDialog } from './secret-dialog';

const route = getRouteApi('/signed-in/organizations/$organizationId/api-keys/new');

export function NewApiKeyPage() {
  const { organizationId } = route.useParams();
  const navigate = route.useNavigate();
  const { data: websites } = useSuspenseQuery(websitesQuery(organizationId));
  const createKey = useCreateApiKey(organizationId);
  return (
    <div className="page">
      <PageHeader title="New API key" description="Allow no more than the program needs" />
      <ApiKeyForm
        websites={websites}
        action="Create key"
        error={createKey.error}
        isBusy={createKey.isPending}
        onSubmit={(settings) => createKey.mutate(settings)}
      />
      {createKey.data && (
        <SecretDialog
          created={createKey.data}
          onClose={() => void navigate({ to: '/organizations/$organizationId/api-keys' })}
        />
      )}
    </div>
  );
}
