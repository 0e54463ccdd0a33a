import { useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import type { ApiKeyDto, CreateApiKeyDto, UpdateApiKeyDto, WebsiteDto } from '@ledgerline/client';
import { apiKeyQuery } from '../../api/api-keys';
import { useCreateRecord, useUpdateRecord } from '../../api/record-changes';
import { websitesQuery } from '../../api/websites';
import { Input } from '../../components/field';
import { Form, FormActions, type RequestState, type Texts } from '../../components/form';
import { PageHeader } from '../../components/page';
import { instantOf, localText, LocalTimeInput } from '../../components/text-fields';
import { notify } from '../../components/toasts';
import { ResourceFields, ScopeFields, type ApiKeyScope } from './access-fields';
import { KeySecret } from './key-secret';

const newRoute = getRouteApi('/signed-in/organizations/$organizationId/api-keys/new');

export function NewApiKeyPage() {
  const { organizationId } = newRoute.useParams();
  const navigate = newRoute.useNavigate();
  const { data: websites } = useSuspenseQuery(websitesQuery(organizationId));
  const createKey = useCreateRecord('/v1/api-keys');
  return (
    <div className="page">
      <PageHeader title="New API key" description="Grant only what it needs" />
      <ApiKeyForm
        websites={websites}
        action="Create key"
        change={createKey}
        onSubmit={(settings) => createKey.mutate({ organizationId, ...settings })}
      />
      {createKey.data && (
        <KeySecret
          created={createKey.data}
          onClose={() => void navigate({ to: '/organizations/$organizationId/api-keys' })}
        />
      )}
    </div>
  );
}

const editRoute = getRouteApi('/signed-in/organizations/$organizationId/api-keys/$keyId');

export function EditApiKeyPage() {
  const { organizationId, keyId: id } = editRoute.useParams();
  const navigate = editRoute.useNavigate();
  const { data: apiKey } = useSuspenseQuery(apiKeyQuery(id));
  const { data: websites } = useSuspenseQuery(websitesQuery(organizationId));
  const updateKey = useUpdateRecord('/v1/api-keys', id, apiKey.revision);
  const submit = (settings: KeySettings, texts: Texts) =>
    updateKey.mutate(changesOf(apiKey, settings, texts), {
      onSuccess: () => {
        notify('Saved; what it may no longer do is refused already');
        void navigate({ to: '/organizations/$organizationId/api-keys' });
      },
    });
  return (
    <div className="page">
      <PageHeader title={`Edit ${apiKey.name}`} description={<code>{apiKey.start}…</code>} />
      <ApiKeyForm
        key={apiKey.revision}
        apiKey={apiKey}
        websites={websites}
        action="Save"
        change={updateKey}
        onSubmit={submit}
      />
    </div>
  );
}

/** Only what was changed, so that an expiry in the past can stay. */
function changesOf(apiKey: ApiKeyDto, { expiresAt, ...others }: KeySettings, texts: Texts): UpdateApiKeyDto {
  const changed = Object.entries(others).filter(
    ([name, value]) => JSON.stringify(Reflect.get(apiKey, name)) !== JSON.stringify(value),
  );
  return {
    ...Object.fromEntries(changed),
    ...(texts['expiresAt'] === localText(apiKey.expiresAt) ? {} : { expiresAt: expiresAt ?? null }),
  };
}

type KeySettings = Omit<CreateApiKeyDto, 'organizationId'>;
interface ApiKeyFormProps {
  /** As it is; undefined for a new one. */
  readonly apiKey?: ApiKeyDto;
  readonly websites: readonly WebsiteDto[];
  readonly change: RequestState;
  /** The text of the button. */
  readonly action: string;
  readonly onSubmit: (settings: KeySettings, texts: Texts) => void;
}

/** Shows what a key is called, what it allows, and until when. */
function ApiKeyForm({ apiKey, websites, change, action, onSubmit }: ApiKeyFormProps) {
  const [scopes, setScopes] = useState<readonly ApiKeyScope[]>(apiKey?.scopes ?? ['read:data']);
  const [resources, setResources] = useState<ApiKeyDto['resources']>(apiKey?.resources ?? null);
  const submit = (texts: Texts) =>
    onSubmit(
      {
        name: texts['name'] ?? '',
        description: texts['description'] || null,
        scopes: [...scopes],
        resources,
        expiresAt: instantOf(texts['expiresAt']),
      },
      texts,
    );
  return (
    <Form onSubmit={submit} change={change}>
      <Input label="Name" name="name" hint="For example the app that uses it" defaultValue={apiKey?.name} />
      <Input label="Description" name="description" defaultValue={apiKey?.description ?? ''} />
      <ScopeFields scopes={scopes} onChange={setScopes} />
      <ResourceFields
        resources={resources}
        websites={websites}
        needsEverything={scopes.includes('read:audit')}
        onChange={setResources}
      />
      <LocalTimeInput label="Expires" name="expiresAt" at={apiKey?.expiresAt ?? null} hint="Never, if empty." />
      <FormActions submit={action} variant="primary" />
    </Form>
  );
}
