import { Link, Outlet, useLocation } from '@tanstack/react-router';
import { Share2 } from 'lucide';
import { useEffect, useRef } from 'react';
import { Host } from '../../addresses/address';
import { isAtLeast, useOwnRole } from '../../api/organizations';
import { Icon } from '../../components/button';
import { Menu, MenuItem } from '../../components/overlays';
import { WebsiteMark } from '../../marks/website-mark';
import { REPORTS } from './report/reports';
import { sharedSearch, useView } from './view/use-view';

interface LinkedPage {
  /** The last part of its address. */
  readonly path: string;
  readonly title: string;
}

const PAGES = new Map(
  [
    ...REPORTS,
    { path: 'realtime', title: 'Realtime' },
    { path: 'goals', title: 'Goals' },
    { path: 'funnels', title: 'Funnels' },
    { path: 'retention', title: 'Retention' },
    { path: 'segments', title: 'Segments' },
  ].map((page) => [page.path, page] as const),
);

const pagesAt = (...paths: readonly string[]): readonly LinkedPage[] => paths.flatMap((path) => PAGES.get(path) ?? []);

/** The tabs behind the dashboard: a page, or a menu of several. */
const TABS: readonly { readonly title: string; readonly pages: readonly LinkedPage[] }[] = [
  { title: 'Realtime', pages: pagesAt('realtime') },
  { title: 'Sources', pages: pagesAt('sources') },
  { title: 'Audience', pages: pagesAt('visitors', 'sessions', 'places', 'retention', 'segments') },
  { title: 'Behaviour', pages: pagesAt('pages', 'events', 'engagement', 'flow', 'outgoing') },
  { title: 'Goals & funnels', pages: pagesAt('goals', 'funnels') },
  { title: 'Technology', pages: pagesAt('devices', 'vitals', 'errors') },
];

/** The pages that stand beside the name of the website. */
const ABOUT: readonly LinkedPage[] = [
  { path: 'install', title: 'Install' },
  { path: 'settings', title: 'Settings' },
];

/** The pages of a website beside its dashboard. */
export const WEBSITE_PAGES: readonly LinkedPage[] = [...TABS.flatMap(({ pages }) => pages), ...ABOUT];

type View = ReturnType<typeof useView>;

/** Every page of a website, below its name and the tabs that lead to all of them. */
export function WebsitePages() {
  const view = useView();
  return (
    <>
      <div className="website-top">
        <WebsiteHeader view={view} />
        <WebsiteTabs view={view} />
      </div>
      <Outlet />
    </>
  );
}

function WebsiteHeader({ view: { website, organizationId, websiteId, search } }: { readonly view: View }) {
  const params = { organizationId, websiteId };
  const mayShare = isAtLeast(useOwnRole(organizationId), 'admin');
  return (
    <div className="website-header">
      <Link
        className="website-title marked"
        to="/organizations/$organizationId/websites/$websiteId"
        params={params}
        search={sharedSearch(search)}
      >
        <WebsiteMark website={website} />
        <b>{website.name}</b>
      </Link>
      {website.name !== website.domain && (
        <span className="soft small">
          <Host raw={website.domain} />
        </span>
      )}
      <span className="gap" />
      {mayShare && (
        <Link
          className="button small"
          to="/organizations/$organizationId/websites/$websiteId/shares/new"
          params={params}
        >
          <Icon of={Share2} />
          Share
        </Link>
      )}
      {ABOUT.map((page) => (
        <PageLink key={page.path} className="button quiet" view={{ ...params, search }} page={page} />
      ))}
    </div>
  );
}

function WebsiteTabs({ view }: { readonly view: View }) {
  const { pathname } = useLocation();
  const shown = /\/websites\/[^/]+\/([^/]+)/.exec(pathname)?.[1] ?? '';
  const { organizationId, websiteId, search, website } = view;
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => {
    const show = () => list.current?.querySelector('.active')?.scrollIntoView({ block: 'nearest', inline: 'center' });
    const frame = requestAnimationFrame(show); // the layout of the frame is the only one then
    return () => cancelAnimationFrame(frame);
  }, [pathname]);
  return (
    <nav className="sub-navigation" aria-label={`Pages of ${website.name}`}>
      <ul ref={list}>
        <li>
          <Link
            to="/organizations/$organizationId/websites/$websiteId"
            params={{ organizationId, websiteId }}
            search={sharedSearch(search)}
            activeOptions={{ exact: true, includeSearch: false }}
          >
            Dashboard
          </Link>
        </li>
        {TABS.map(({ title, pages }) => {
          const [first, ...others] = pages;
          const isShown = pages.some(({ path }) => path === shown);
          return (
            <li key={title}>
              {first && others.length === 0 ? (
                <PageLink view={view} page={first} />
              ) : (
                <Menu shown={title} className={isShown ? 'active' : ''}>
                  {pages.map((page) => (
                    <MenuItem key={page.path}>
                      <PageLink view={view} page={page} />
                    </MenuItem>
                  ))}
                </Menu>
              )}
            </li>
          );
        })}
      </ul>
    </nav>
  );
}

interface PageLinkProps {
  readonly view: Pick<View, 'organizationId' | 'websiteId' | 'search'>;
  readonly page: LinkedPage;
  readonly className?: string;
}

/** Takes along the range, the filters and the segment. Further attributes are those that a menu gives its items. */
const PageLink = ({ view: { organizationId, websiteId, search }, page, ...rest }: PageLinkProps) => (
  <Link
    {...rest}
    to="/organizations/$organizationId/websites/$websiteId/$report"
    params={{ organizationId, websiteId, report: page.path }}
    search={sharedSearch(search)}
    activeOptions={{ includeSearch: false }}
  >
    {page.title}
  </Link>
);
