import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import {
  Activity,
  Bell,
  Flag,
  Gauge,
  Globe,
  KeyRound,
  Link2,
  Mail,
  RadioTower,
  ScrollText,
  Send,
  Settings,
  Users,
  type IconNode,
} from 'lucide';
import { useId } from 'react';
import { sessionQuery } from '../api/account';
import { isAtLeast, organizationsQuery, useOwnRole, type MemberRole } from '../api/organizations';
import { Icon } from '../components/button';

interface NavigatedPage {
  readonly to: `/organizations/$organizationId/${string}`;
  readonly label: string;
  readonly icon: IconNode;
  /** The least role that may open it, or who runs the installation. */
  readonly role: MemberRole | 'operator';
}

/** The pages of an organization by what they are for, in their order; each page adds its line. */
const GROUPS = [
  {
    label: 'Measure',
    pages: [
      { to: '/organizations/$organizationId/websites', label: 'Websites', icon: Globe, role: 'member' },
      { to: '/organizations/$organizationId/links', label: 'Links', icon: Link2, role: 'member' },
      { to: '/organizations/$organizationId/reports', label: 'Reports', icon: Mail, role: 'admin' },
    ],
  },
  {
    label: 'Ship',
    pages: [{ to: '/organizations/$organizationId/flags', label: 'Flags', icon: Flag, role: 'member' }],
  },
  {
    label: 'Watch',
    pages: [
      { to: '/organizations/$organizationId/alerts', label: 'Alerts', icon: Bell, role: 'member' },
      { to: '/organizations/$organizationId/monitors', label: 'Monitors', icon: Activity, role: 'member' },
      { to: '/organizations/$organizationId/status-pages', label: 'Status pages', icon: RadioTower, role: 'member' },
      { to: '/organizations/$organizationId/projections', label: 'System health', icon: Gauge, role: 'operator' },
    ],
  },
  {
    label: 'Organization',
    pages: [
      { to: '/organizations/$organizationId/members', label: 'Members', icon: Users, role: 'member' },
      { to: '/organizations/$organizationId/api-keys', label: 'Keys', icon: KeyRound, role: 'admin' },
      { to: '/organizations/$organizationId/destinations', label: 'Destinations', icon: Send, role: 'admin' },
      { to: '/organizations/$organizationId/audit', label: 'Audit log', icon: ScrollText, role: 'admin' },
      { to: '/organizations/$organizationId/settings', label: 'Settings', icon: Settings, role: 'member' },
    ],
  },
] as const satisfies readonly { readonly label: string; readonly pages: readonly NavigatedPage[] }[];

export function Navigation({ isOpen }: { readonly isOpen: boolean }) {
  const { organizationId } = useParams({ strict: false });
  const { data: organizations = [] } = useQuery(organizationsQuery);
  // the account belongs to all of them: it has the frame of the first
  const [shown] =
    organizationId === undefined ? organizations : organizations.filter(({ id }) => id === organizationId);
  return (
    <nav id="navigation" className={isOpen ? 'navigation open' : 'navigation'} aria-label="Pages">
      <div className="navigation-groups">{shown ? <PagesOf organizationId={shown.id} /> : <WayBack />}</div>
    </nav>
  );
}

/** The way back from pages that belong to no organization, or to none of the person's. */
const WayBack = () => (
  <ul>
    <li>
      <Link to="/">
        <Icon of={Globe} />
        Websites
      </Link>
    </li>
  </ul>
);

/** Returns the pages that the signed-in person may open, by what they are for. */
export function useNavigatedPages(organizationId: string) {
  const role = useOwnRole(organizationId) ?? 'member';
  const { data: session } = useQuery(sessionQuery);
  const mayOpen = (page: NavigatedPage) =>
    page.role === 'operator' ? session?.isOperator === true : isAtLeast(role, page.role);
  return GROUPS.map(({ label, pages }) => ({ label, pages: pages.filter(mayOpen) }));
}

function PagesOf({ organizationId }: { readonly organizationId: string }) {
  const groups = useNavigatedPages(organizationId);
  const id = useId();
  return groups.map(({ label, pages }) => (
    <div key={label}>
      <p id={`${id}-${label}`}>{label}</p>
      <ul aria-labelledby={`${id}-${label}`}>
        {pages.map(({ to, label: name, icon }) => (
          <li key={to}>
            <Link to={to} params={{ organizationId }} activeProps={{ className: 'active' }}>
              <Icon of={icon} />
              {name}
            </Link>
          </li>
        ))}
      </ul>
    </div>
  ));
}
