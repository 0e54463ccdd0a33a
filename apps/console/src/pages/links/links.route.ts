import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { linkQuery, LINK_SORTS, type LinkFilter } from '../../api/links';
import { trackingHostQuery } from '../../api/tracking-host';
import { organizationRoute } from '../../layout/organization.route';
import { optionalText } from '../search-params';
import { rangeOf, type RangeSearch } from './click-range';

const listRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: 'links',
  /** What the list is filtered and sorted by. */
  validateSearch: (search): LinkFilter => {
    const sort = LINK_SORTS.find((each) => each === search['sort']);
    const texts = (['search', 'externalId'] as const).map((name) => optionalText(search, name));
    return Object.assign({}, ...texts, sort === undefined ? {} : { sort }) as LinkFilter; // of these three names
  },
  component: lazyRouteComponent(() => import('./links.page'), 'LinksPage'),
});

const newRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: 'links/new',
  loader: ({ context }) => context.queryClient.query({ ...trackingHostQuery, staleTime: 'static' }),
  component: lazyRouteComponent(() => import('./new-link.page'), 'NewLinkPage'),
});

const pasteRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: 'links/paste',
  component: lazyRouteComponent(() => import('./paste-links.page'), 'PasteLinksPage'),
});

const oneRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: 'links/$linkId',
  /** `range`: a preset; or the first and last day. */
  validateSearch: (search): RangeSearch => rangeOf(search),
  loader: ({ context, params }) => context.queryClient.query({ ...linkQuery(params.linkId), staleTime: 'static' }),
  component: lazyRouteComponent(() => import('./link.page'), 'LinkPage'),
});

const editRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: 'links/$linkId/edit',
  loader: ({ context, params }) => context.queryClient.query({ ...linkQuery(params.linkId), staleTime: 'static' }),
  component: lazyRouteComponent(() => import('./edit-link.page'), 'EditLinkPage'),
});

/** The short links of an organization. */
export const linkRoutes = [listRoute, newRoute, pasteRoute, oneRoute, editRoute];
