import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { pageIn } from '../view/view-search';
import { websiteRoute } from '../website.route';

/** One visitor, with their sessions. */
export const visitorRoute = createRoute({
  getParentRoute: () => websiteRoute,
  path: 'visitors/$visitorId',
  validateSearch: pageIn,
  component: lazyRouteComponent(() => import('./visitor.page'), 'VisitorPage'),
});

/** One session, event by event. */
export const sessionRoute = createRoute({
  getParentRoute: () => websiteRoute,
  path: 'sessions/$sessionId',
  validateSearch: pageIn,
  component: lazyRouteComponent(() => import('./session.page'), 'SessionPage'),
});
