import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { isAtLeast, useOwnRole, type Role } from '../api/members';
import { organizationsQuery } from '../api/organizations';
import { sessionQuery } from '../api/session';

interface NavigatedPage {
  readonly to: `/organizations/$organizationId/${string}`;
  readonly label: string;
  /** The least role that may open it, or who runs the installation. */
  readonly role: Role | 'operator';
}

/** The pages of an organization, in their order; each page adds its line. */
const PAGES = [
  { to: '/organizations/$organizationId/websites', label: 'Websites', role: 'member' },
  { to: '/organizations/$organizationId/links', label: 'Links', role: 'member' },
  { to: '/organizations/$organizationId/flags', label: 'Flags', role: 'member' },
  { to: '/organizations/$organizationId/monitors', label: 'Monitors', role: 'member' },
  { to: '/organizations/$organizationId/status-pages', label: 'Status pages', role: 'member' },
  { to: '/organizations/$organizationId/members', label: 'Members', role: 'member' },
  { to: '/organizations/$organizationId/settings', label: 'Organization', role: 'member' },
  { to: '/organizations/$organizationId/api-keys', label: 'API keys', role: 'admin' },
  { to: '/organizations/$organizationId/audit', label: 'Audit log', role: 'admin' },
  { to: '/organizations/$organizationId/projections', label: 'Projections', role: 'operator' },
] as const satisfies readonly NavigatedPage[];

export function Navigation({ isOpen }: { readonly isOpen: boolean }) {
  const { organizationId } = useParams({ strict: false });
  const { data: organizations = [] } = useQuery(organizationsQuery);
  const isOwn = organizations.some(({ id }) => id === organizationId);
  return (
    <nav id="navigation" className={isOpen ? 'navigation open' : 'navigation'} aria-label="Pages">
      {isOwn && organizationId !== undefined ? <PagesOf organizationId={organizationId} /> : <WayBack />}
    </nav>
  );
}

/** Of pages that belong to no organization, or to none of the person's. */
const WayBack = () => (
  <ul>
    <li>
      <Link to="/">Websites</Link>
    </li>
  </ul>
);

function PagesOf({ organizationId }: { readonly organizationId: string }) {
  const role = useOwnRole(organizationId) ?? 'member';
  const { data: session } = useQuery(sessionQuery);
  const mayOpen = (page: NavigatedPage) =>
    page.role === 'operator' ? session?.isOperator === true : isAtLeast(role, page.role);
  return (
    <ul>
      {PAGES.filter(mayOpen).map(({ to, label }) => (
        <li key={to}>
          <Link to={to} params={{ organizationId }} activeProps={{ className: 'active' }}>
            {label}
          </Link>
        </li>
      ))}
    </ul>
  );
}
