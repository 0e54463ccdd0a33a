import { useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { KeyRound } from 'lucide';
import { useState } from 'react';
import type { ApiKeyDto, WebsiteDto } from '@ledgerline/client';
import { apiKeysQuery, useEndApiKey, useRotateApiKey } from '../../api/api-keys';
import { messageOf } from '../../api/failure';
import { useUpdateRecord } from '../../api/record-changes';
import { websitesQuery } from '../../api/websites';
import { ConfirmDialog } from '../../components/confirm-dialog';
import { Menu, MenuItem } from '../../components/overlays';
import { PageHeader } from '../../components/page';
import { Badge, Expiry, Time } from '../../components/page-parts';
import { EmptyState } from '../../components/states';
import { Table, type TableColumn } from '../../components/table';
import { notify } from '../../components/toasts';
import { SCOPE_LABELS } from './access-fields';
import { KeySecret } from './key-secret';

const route = getRouteApi('/signed-in/organizations/$organizationId/api-keys');

/** The API keys of an organization, and what can be done with each. */
export function ApiKeysPage() {
  const { organizationId } = route.useParams();
  const { data: keys } = useSuspenseQuery(apiKeysQuery(organizationId));
  const { data: websites } = useSuspenseQuery(websitesQuery(organizationId));
  const [question, setQuestion] = useState<KeyQuestion>();
  const create = (
    <Link className="button primary" to="/organizations/$organizationId/api-keys/new" params={{ organizationId }}>
      New key
    </Link>
  );
  return (
    <div className="page">
      <PageHeader
        title="API keys"
        description="With a key, a program uses the api without a person who is signed in"
        actions={keys.length > 0 ? create : undefined}
      />
      {keys.length > 0 ? (
        <Table caption="API keys" columns={apiKeyColumns(websites, setQuestion)} rows={keys} keyOf={({ id }) => id} />
      ) : (
        <EmptyState title="No API keys yet" icon={KeyRound} action={create}>
          <p>A server that sends events or asks for statistics needs a key. Pages with the script need none.</p>
        </EmptyState>
      )}
      {question && (
        <KeyDialog
          key={`${question.kind} ${question.apiKey.id}`}
          {...question}
          onClose={() => setQuestion(undefined)}
        />
      )}
    </div>
  );
}

/** Returns what the list shows of a key. */
const apiKeyColumns = (
  websites: readonly WebsiteDto[],
  onAsk: (question: KeyQuestion) => void,
): readonly TableColumn<ApiKeyDto>[] => [
  {
    header: 'Name',
    cell: ({ name, description, start }) => (
      <span className="two-lines">
        <span className="clip" title={description ?? name}>
          {name}
        </span>
        <code>{start}…</code>
      </span>
    ),
  },
  { header: 'State', cell: stateOf },
  {
    header: 'Allows',
    cell: ({ scopes, resources }) => (
      <span className="two-lines">
        <span title={scopes.join(', ')}>{scopes.map((scope) => SCOPE_LABELS[scope].name).join(', ') || 'Nothing'}</span>
        {accessOf(resources, websites)}
      </span>
    ),
  },
  {
    header: 'Last used',
    cell: ({ lastUsedAt }) => (lastUsedAt === null ? <span className="soft">Never</span> : <Time at={lastUsedAt} />),
  },
  { header: 'Expires', cell: ({ expiresAt }) => <Expiry at={expiresAt} /> },
  { header: 'Actions', cell: (apiKey) => <KeyActions apiKey={apiKey} onAsk={onAsk} /> },
];

function stateOf({ enabled, expiresAt, revokedAt }: ApiKeyDto) {
  if (revokedAt !== null) return <Badge tone="danger">Revoked</Badge>;
  if (expiresAt !== null && new Date(expiresAt) <= new Date()) return <Badge tone="warning">Expired</Badge>;
  return enabled ? <Badge tone="good">Active</Badge> : <Badge tone="warning">Disabled</Badge>;
}

function accessOf(resources: ApiKeyDto['resources'], websites: readonly WebsiteDto[]) {
  const names = Object.keys(resources ?? { global: [] });
  const shown = names.map((name) => websites.find(({ id }) => name === `website:${id}`)?.name ?? 'a deleted website');
  const text = names.includes('global') ? 'everything' : shown.join(', ') || 'nothing';
  return (
    <span className="clip soft" title={text}>
      of {text}
    </span>
  );
}

interface KeyActionsProps {
  readonly apiKey: ApiKeyDto;
  readonly onAsk: (question: KeyQuestion) => void;
}

/** A revoked key can be deleted only. */
function KeyActions({ apiKey, onAsk }: KeyActionsProps) {
  const { id, name, enabled, organizationId, revokedAt } = apiKey;
  const navigate = useNavigate();
  const updateKey = useUpdateRecord('/v1/api-keys', id);
  const edit = () =>
    void navigate({ to: '/organizations/$organizationId/api-keys/$keyId', params: { organizationId, keyId: id } });
  const toggle = () =>
    updateKey.mutate(
      { enabled: !enabled },
      {
        onSuccess: () => notify(enabled ? `${name} is refused until it is enabled again` : `${name} is accepted again`),
        onError: (error) => notify(messageOf(error)),
      },
    );
  return (
    <Menu label={`Actions of ${name}`} shown="Actions">
      {revokedAt === null && (
        <>
          <MenuItem onSelect={edit}>Edit</MenuItem>
          <MenuItem onSelect={() => onAsk({ kind: 'rotate', apiKey })}>Rotate</MenuItem>
          <MenuItem onSelect={toggle}>{enabled ? 'Disable' : 'Enable'}</MenuItem>
          <MenuItem onSelect={() => onAsk({ kind: 'revoke', apiKey })}>Revoke</MenuItem>
        </>
      )}
      <MenuItem onSelect={() => onAsk({ kind: 'delete', apiKey })}>Delete</MenuItem>
    </Menu>
  );
}

/** The question about what is to be done with a key. */
interface KeyQuestion {
  readonly kind: 'rotate' | 'revoke' | 'delete';
  readonly apiKey: ApiKeyDto;
}

const TEXTS = {
  rotate: {
    title: 'Rotate',
    action: 'Rotate key',
    text: 'The old secret is refused at once, everywhere. Programs that use it fail until they have the new one.',
  },
  revoke: {
    title: 'Revoke',
    action: 'Revoke key',
    text: 'The key is refused at once, everywhere, and for good. It stays in this list. Disable it instead if it may be needed again.',
  },
  delete: {
    title: 'Delete',
    action: 'Delete key',
    text: 'The key is refused at once, everywhere, and leaves this list. The audit log keeps what it did.',
  },
} as const;

/** Asks first, as programs may depend on the key; a new secret is shown then. */
function KeyDialog({ kind, apiKey: { id, name }, onClose }: KeyQuestion & { readonly onClose: () => void }) {
  const rotateKey = useRotateApiKey();
  const endKey = useEndApiKey();
  const { title, action, text } = TEXTS[kind];
  const confirm = () => {
    if (kind === 'rotate') rotateKey.mutate(id);
    else
      endKey.mutate(
        { id, how: kind },
        {
          onSuccess: () => {
            notify(`${name} is refused from now on`);
            onClose();
          },
        },
      );
  };
  if (rotateKey.data) return <KeySecret created={rotateKey.data} onClose={onClose} />;
  return (
    <ConfirmDialog
      title={`${title} ${name}?`}
      action={action}
      change={kind === 'rotate' ? rotateKey : endKey}
      onConfirm={confirm}
      onClose={onClose}
    >
      <p>{text}</p>
    </ConfirmDialog>
  );
}
