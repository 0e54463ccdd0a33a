import type { ApiKeyDto, WebsiteDto } from '@ledgerline/client';
import { Badge } from '../../components/badge';
import { Expiry } from '../../components/expiry';
import type { Column } from '../../components/table';
import { Time } from '../../components/time';
import { KeyActions } from './key-actions';
import type { KeyQuestion } from './key-dialog';
import { SCOPES } from './scopes';

/** What the list shows of a key. */
export const apiKeyColumns = (
  websites: readonly WebsiteDto[],
  onAsk: (question: KeyQuestion) => void,
): readonly Column<ApiKeyDto>[] => [
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
        <span title={scopes.join(', ')}>{scopes.map((scope) => SCOPES[scope].name).join(', ') || 'Nothing'}</span>
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
