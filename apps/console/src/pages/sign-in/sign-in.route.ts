import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../layout/root.route';
import { optionalText } from '../search-params';

export const signInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: 'sign-in',
  /** `next`: the page of the console to go to then. */
  validateSearch: (search): { next?: string } => optionalText(search, 'next'),
  component: lazyRouteComponent(() => import('./sign-in.page'), 'SignInPage'),
});
