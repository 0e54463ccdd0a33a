import type { WebsiteDto } from '@ledgerline/client';
import { useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { Host } from '../../addresses/address';
import { readableHost } from '../../addresses/readable-host';
import { isAtLeast, useOwnRole } from '../../api/members';
import { websitesQuery } from '../../api/websites';
import { CopyButton } from '../../components/copy-button';
import { EmptyState } from '../../components/empty-state';
import { Input } from '../../components/input';
import { PageHeader } from '../../components/page-header';
import { Table, type Column } from '../../components/table';

const route = getRouteApi('/signed-in/organizations/$organizationId/websites');

/** The websites of an organization. */
export function WebsitesPage() {
  const { organizationId } = route.useParams();
  const { organization } = route.useRouteContext();
  const { search = '' } = route.useSearch();
  const { data: websites } = useSuspenseQuery(websitesQuery(organizationId));
  const role = useOwnRole(organizationId);
  const found = websites.filter((website) => matches(website, search));
  return (
    <div className="page">
      <PageHeader
        title="Websites"
        description={`What ${organization.name} measures`}
        actions={
          isAtLeast(role, 'admin') && (
            <Link
              className="button primary"
              to="/organizations/$organizationId/websites/new"
              params={{ organizationId }}
            >
              New website
            </Link>
          )
        }
      />
      {websites.length > 0 && <Search />}
      {found.length > 0 ? (
        <Table caption="Websites" columns={COLUMNS} rows={found} keyOf={({ id }) => id} />
      ) : (
        <NoWebsites isSearched={search !== ''} />
      )}
    </div>
  );
}

function Search() {
  const { search = '' } = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <Input
      label="Search"
      type="search"
      value={search}
      onChange={({ target }) => void navigate({ search: target.value ? { search: target.value } : {}, replace: true })}
    />
  );
}

const NoWebsites = ({ isSearched }: { readonly isSearched: boolean }) =>
  isSearched ? (
    <EmptyState title="No website matches">
      <p>Neither the name nor the domain of a website contains what you search for.</p>
    </EmptyState>
  ) : (
    <EmptyState title="No websites yet">
      <p>A website is what visitors, page views and events are counted for.</p>
    </EmptyState>
  );

const matches = ({ name, domain }: WebsiteDto, search: string): boolean =>
  `${name} ${domain} ${readableHost(domain)}`.toLowerCase().includes(search.toLowerCase());

const COLUMNS: readonly Column<WebsiteDto>[] = [
  {
    header: 'Name',
    cell: ({ id, organizationId, name }) => (
      <Link to="/organizations/$organizationId/websites/$websiteId" params={{ organizationId, websiteId: id }}>
        {name}
      </Link>
    ),
  },
  { header: 'Domain', cell: ({ domain }) => <Host raw={domain} /> },
  { header: 'Statistics', cell: ({ isPublic }) => (isPublic ? 'Public' : 'For members') },
  {
    header: 'Script',
    cell: ({ id, organizationId, name }) => (
      <Link
        to="/organizations/$organizationId/websites/$websiteId/install"
        params={{ organizationId, websiteId: id }}
        aria-label={`Install the script on ${name}`}
      >
        Install
      </Link>
    ),
  },
  {
    header: 'Id',
    cell: ({ id, name }) => (
      <span className="with-copy">
        <code>{id}</code>
        <CopyButton text={id} label={`the id of ${name}`} />
      </span>
    ),
  },
  {
    header: 'Settings',
    cell: ({ id, name, organizationId }) => (
      <Link
        className="button quiet"
        to="/organizations/$organizationId/websites/$websiteId/settings"
        params={{ organizationId, websiteId: id }}
        aria-label={`Settings of ${name}`}
      >
        Settings
      </Link>
    ),
  },
];
