import { Link, Outlet, useLocation } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { REPORTS } from './report/reports';
import { sharedSearch, useView } from './view/use-view';

/** The pages of a website beside its dashboard, in the order of their tabs: the last part of each address. */
export const WEBSITE_PAGES: readonly { readonly path: string; readonly title: string }[] = [
  { path: 'realtime', title: 'Realtime' },
  ...REPORTS,
  { path: 'goals', title: 'Goals' },
  { path: 'funnels', title: 'Funnels' },
  { path: 'retention', title: 'Retention' },
  { path: 'segments', title: 'Segments' },
  { path: 'install', title: 'Install' },
  { path: 'settings', title: 'Settings' },
];

/** Every page of a website, below the tabs that lead to all of them. */
export function WebsitePages() {
  const {
    organizationId,
    websiteId,
    website: { name },
    search,
  } = useView();
  const { pathname } = useLocation();
  const params = { organizationId, websiteId };
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => {
    const show = () => list.current?.querySelector('.active')?.scrollIntoView({ block: 'nearest', inline: 'center' });
    const frame = requestAnimationFrame(show); // the layout of the frame is the only one then
    return () => cancelAnimationFrame(frame);
  }, [pathname]);
  return (
    <>
      <nav className="sub-navigation" aria-label={`Pages of ${name}`}>
        <ul ref={list}>
          <li>
            <Link
              to="/organizations/$organizationId/websites/$websiteId"
              params={params}
              search={sharedSearch(search)}
              activeOptions={{ exact: true, includeSearch: false }}
            >
              Dashboard
            </Link>
          </li>
          {WEBSITE_PAGES.map(({ path, title }) => (
            <li key={path}>
              <Link
                to="/organizations/$organizationId/websites/$websiteId/$report"
                params={{ ...params, report: path }}
                search={sharedSearch(search)}
                activeOptions={{ includeSearch: false }}
              >
                {title}
              </Link>
            </li>
          ))}
        </ul>
      </nav>
      <Outlet />
    </>
  );
}
