import type { ApiKeyDto, CreateApiKeyDto, WebsiteDto } from '@ledgerline/client';
import { useState } from 'react';
import { fieldMessage } from '../../api/failure';
import { Form } from '../../components/form';
import { FormActions } from '../../components/form-actions';
import { Input } from '../../components/input';
import { instantOf, LocalTimeInput } from '../../components/local-time-input';
import { ResourceFields } from './resource-fields';
import { ScopeFields } from './scope-fields';
import type { Scope } from './scopes';

export type KeySettings = Omit<CreateApiKeyDto, 'organizationId'>;
export type Texts = Readonly<Record<string, string>>;

interface ApiKeyFormProps {
  /** As it is; undefined for a new one. */
  readonly apiKey?: ApiKeyDto;
  readonly websites: readonly WebsiteDto[];
  readonly error: Error | null;
  readonly isBusy: boolean;
  /** What the button says. */
  readonly action: string;
  readonly onSubmit: (settings: KeySettings, texts: Texts) => void;
}

const FIELDS = ['name', 'description', 'scopes', 'resources', 'expiresAt'];

/** What a key is called, what it allows, and until when. */
export function ApiKeyForm({ apiKey, websites, error, isBusy, action, onSubmit }: ApiKeyFormProps) {
  const [scopes, setScopes] = useState<readonly Scope[]>(apiKey?.scopes ?? ['read:data']);
  const [resources, setResources] = useState<ApiKeyDto['resources']>(apiKey?.resources ?? null);
  const wrong = (field: string) => fieldMessage(error, field);
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
    <Form onSubmit={submit} error={error} fields={FIELDS}>
      <Input
        label="Name"
        name="name"
        hint="The program that uses it"
        defaultValue={apiKey?.name}
        error={wrong('name')}
      />
      <Input
        label="Description"
        name="description"
        defaultValue={apiKey?.description ?? ''}
        error={wrong('description')}
      />
      <ScopeFields scopes={scopes} onChange={setScopes} error={wrong('scopes')} />
      <ResourceFields
        resources={resources}
        websites={websites}
        needsEverything={scopes.includes('read:audit')}
        onChange={setResources}
        error={wrong('resources')}
      />
      <LocalTimeInput
        label="Expires"
        name="expiresAt"
        at={apiKey?.expiresAt ?? null}
        hint="Never, if empty."
        error={wrong('expiresAt')}
      />
      <FormActions submit={action} variant="primary" isBusy={isBusy} />
    </Form>
  );
}
