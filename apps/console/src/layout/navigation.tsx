import { Link, useParams } from '@tanstack/react-router';

/** The pages of an organization, in their order; each page adds its line. */
const PAGES = [{ to: '/organizations/$organizationId/websites', label: 'Websites' }] as const;

export function Navigation({ isOpen }: { readonly isOpen: boolean }) {
  const { organizationId } = useParams({ strict: false });
  return (
    <nav id="navigation" className={isOpen ? 'navigation open' : 'navigation'} aria-label="Pages">
      {organizationId !== undefined && (
        <ul>
          {PAGES.map(({ to, label }) => (
            <li key={to}>
              <Link to={to} params={{ organizationId }} activeProps={{ className: 'active' }}>
                {label}
              </Link>
            </li>
          ))}
        </ul>
      )}
    </nav>
  );
}
