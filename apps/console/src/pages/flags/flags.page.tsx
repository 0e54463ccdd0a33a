import { useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { Flag } from 'lucide';
import type { ReactNode } from 'react';
import type { FlagDto } from '@ledgerline/client';
import { flagsQuery } from '../../api/flags';
import { isAtLeast, useOwnRole } from '../../api/organizations';
import { websitesQuery } from '../../api/websites';
import { Input, Select } from '../../components/field';
import { PageHeader } from '../../components/page';
import { Badge, Time } from '../../components/page-parts';
import { EmptyState } from '../../components/states';
import { Table, type TableColumn } from '../../components/table';
import { environmentsOf, STATUS_BADGES, flagSummary } from './flag-words';

const route = getRouteApi('/signed-in/organizations/$organizationId/flags');

/** The feature flags of an organization. */
export function FlagsPage() {
  const { organizationId } = route.useParams();
  const { search = '', status = '' } = route.useSearch();
  const { data: flags } = useSuspenseQuery(flagsQuery(organizationId));
  const { data: websites } = useSuspenseQuery(websitesQuery(organizationId));
  const role = useOwnRole(organizationId);
  const found = flags.filter((flag) => hasStatus(flag, status) && matches(flag, search));
  const nameOf = (id: string | null) =>
    id === null ? 'All websites' : (websites.find((website) => website.id === id)?.name ?? 'A deleted website');
  const where: TableColumn<FlagDto> = {
    header: 'Where',
    cell: (flag) => <span className="clip">{[nameOf(flag.websiteId), ...environmentsOf(flag)].join(', ')}</span>,
  };
  const create = isAtLeast(role, 'admin') ? (
    <Link className="button primary" to="/organizations/$organizationId/flags/new" params={{ organizationId }}>
      New flag
    </Link>
  ) : undefined;
  return (
    <div className="page">
      <PageHeader
        title="Flags"
        description="Features that are on for some users"
        actions={flags.length > 0 ? create : undefined}
      />
      {flags.length > 0 && <Filters />}
      {found.length > 0 ? (
        <Table caption="Flags" columns={[...COLUMNS, where]} rows={found} keyOf={({ id }) => id} />
      ) : (
        <NoFlags hasFlags={flags.length > 0} create={create} />
      )}
    </div>
  );
}

function Filters() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const set = (name: 'search' | 'status', value: string) =>
    void navigate({ search: { ...search, [name]: value || undefined }, replace: true });
  return (
    <div className="toolbar">
      <Input
        label="Search"
        type="search"
        placeholder="Search key or name"
        value={search.search ?? ''}
        onChange={({ target }) => set('search', target.value)}
      />
      <Select
        label="Status"
        value={search.status ?? ''}
        options={FILTERS}
        onChange={({ target }) => set('status', target.value)}
      />
    </div>
  );
}

const FILTERS = [
  ['', 'All but archived'],
  ['active', 'Active'],
  ['inactive', 'Inactive'],
  ['archived', 'Archived'],
] as const;

const NoFlags = ({ hasFlags, create }: { readonly hasFlags: boolean; readonly create: ReactNode }) =>
  hasFlags ? (
    <EmptyState title="No flag matches">
      <p>Neither the key nor the name of a flag contains what you search for.</p>
    </EmptyState>
  ) : (
    <EmptyState title="No flags yet" icon={Flag} action={create}>
      <p>A flag turns a feature on for some people: by rule, by share, or in variants.</p>
    </EmptyState>
  );

const hasStatus = (flag: FlagDto, status: string): boolean =>
  status === '' ? flag.status !== 'archived' : flag.status === status;

const matches = ({ key, name }: FlagDto, search: string): boolean =>
  `${key} ${name}`.toLowerCase().includes(search.toLowerCase());

const COLUMNS: readonly TableColumn<FlagDto>[] = [
  {
    header: 'Name',
    cell: ({ id, name, organizationId }) => (
      <Link
        className="clip"
        to="/organizations/$organizationId/flags/$flagId"
        params={{ organizationId, flagId: id }}
        title={name}
      >
        {name}
      </Link>
    ),
  },
  { header: 'Key', cell: ({ key }) => <code className="clip">{key}</code> },
  {
    header: 'Status',
    cell: ({ status }) => <Badge tone={STATUS_BADGES[status][0]}>{STATUS_BADGES[status][1]}</Badge>,
  },
  { header: 'Value', cell: flagSummary },
  { header: 'Changed', cell: ({ updatedAt }) => <Time at={updatedAt} isDay /> },
];
