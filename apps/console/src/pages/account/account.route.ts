import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { signedInRoute } from '../../layout/signed-in.route';

export const accountRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: 'account',
  component: lazyRouteComponent(() => import('./account.page'), 'AccountPage'),
});
