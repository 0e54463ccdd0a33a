import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { linkQuery, type LinkListFilter } from '../../api/links';
import { trackingHostQuery } from '../../api/websites';
import { organizationRoute } from '../../layout/layout.routes';
import { optionalText } from '../search-params';
import { readRangeSearch, readView } from '../website/view/view-scope';
import type { RangeSearch } from '../website/view/view-search';

const listRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: 'links',
  /** Returns what the list is filtered and sorted by, and the range of its figures. */
  validateSearch: (search): Omit<LinkListFilter, 'sort'> & { sort?: string } & RangeSearch => ({
    ...optionalText(search, 'search'),
    ...optionalText(search, 'externalId'),
    ...optionalText(search, 'tagId'),
    ...optionalText(search, 'sort'),
    ...readRangeSearch(search),
  }),
  component: lazyRouteComponent(() => import('./links.page'), 'LinksPage'),
});

const newRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: 'links/new',
  /** `from`: the link that it begins as a copy of. */
  validateSearch: (search): { from?: string } => optionalText(search, 'from'),
  loaderDeps: ({ search }) => search,
  loader: ({ context: { queryClient }, deps: { from } }) =>
    Promise.all([
      queryClient.query({ ...trackingHostQuery, staleTime: 'static' }),
      from === undefined ? undefined : queryClient.query({ ...linkQuery(from), staleTime: 'static' }),
    ]),
  component: lazyRouteComponent(() => import('./link-form.page'), 'NewLinkPage'),
});

const pasteRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: 'links/paste',
  component: lazyRouteComponent(() => import('./paste-links.page'), 'PasteLinksPage'),
});

const tagsRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: 'links/tags',
  /** `edit`: the tag whose form is shown. */
  validateSearch: (search): { edit?: string } => optionalText(search, 'edit'),
  component: lazyRouteComponent(() => import('./tags.page'), 'TagsPage'),
});

const oneRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: 'links/$linkId',
  validateSearch: readView,
  loader: ({ context, params }) => context.queryClient.query({ ...linkQuery(params.linkId), staleTime: 'static' }),
  component: lazyRouteComponent(() => import('./link.page'), 'LinkPage'),
});

const editRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: 'links/$linkId/edit',
  loader: ({ context: { queryClient }, params }) =>
    Promise.all([
      queryClient.query({ ...trackingHostQuery, staleTime: 'static' }),
      queryClient.query({ ...linkQuery(params.linkId), staleTime: 'static' }),
    ]),
  component: lazyRouteComponent(() => import('./link-form.page'), 'EditLinkPage'),
});

/** The short links of an organization. */
export const linkRoutes = [listRoute, newRoute, pasteRoute, tagsRoute, oneRoute, editRoute];
