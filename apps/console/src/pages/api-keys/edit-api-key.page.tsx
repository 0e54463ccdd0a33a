import type { ApiKeyDto, UpdateApiKeyDto } from '@ledgerline/client';
import { useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { apiKeyQuery, useUpdateApiKey } from '../../api/api-keys';
import { websitesQuery } from '../../api/websites';
import { localText } from '../../components/local-time-input';
import { PageHeader } from '../../components/page-header';
import { notify } from '../../components/toasts';
import { ApiKeyForm, type KeySettings, type Texts } from './api-key-form';

const route = getRouteApi('/signed-in/organizations/$organizationId/api-keys/$keyId');

export function EditApiKeyPage() {
  const { organizationId, keyId: id } = route.useParams();
  const navigate = route.useNavigate();
  const { data: apiKey } = useSuspenseQuery(apiKeyQuery(id));
  const { data: websites } = useSuspenseQuery(websitesQuery(organizationId));
  const updateKey = useUpdateApiKey();
  const submit = (settings: KeySettings, texts: Texts) =>
    updateKey.mutate(
      { id, revision: apiKey.revision, changes: changesOf(apiKey, settings, texts) },
      {
        onSuccess: () => {
          notify('Saved; what it may no longer do is refused already');
          void navigate({ to: '/organizations/$organizationId/api-keys' });
        },
      },
    );
  return (
    <div className="page">
      <PageHeader title={`Edit ${apiKey.name}`} description={<code>{apiKey.start}…</code>} />
      <ApiKeyForm
        key={apiKey.revision}
        apiKey={apiKey}
        websites={websites}
        action="Save"
        error={updateKey.error}
        isBusy={updateKey.isPending}
        onSubmit={submit}
      />
    </div>
  );
}

/** Only what was changed, so that an expiry in the past can stay. */
function changesOf(apiKey: ApiKeyDto, { expiresAt, ...others }: KeySettings, texts: Texts): UpdateApiKeyDto {
  const changed = Object.entries(others).filter(
    ([name, value]) => JSON.stringify(apiKey[name as keyof typeof others]) !== JSON.stringify(value),
  );
  return {
    ...Object.fromEntries(changed),
    ...(texts['expiresAt'] === localText(apiKey.expiresAt) ? {} : { expiresAt: expiresAt ?? null }),
  };
}
