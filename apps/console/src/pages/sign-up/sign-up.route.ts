import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { signUpModeQuery } from '../../api/account';
import { rootRoute } from '../../layout/root.route';
import { optionalText } from '../search-params';

export const signUpRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: 'sign-up',
  /** `next`: the page of the console to go to then. */
  validateSearch: (search): { next?: string } => optionalText(search, 'next'),
  loader: ({ context }) => context.queryClient.query({ ...signUpModeQuery, staleTime: 'static' }),
  component: lazyRouteComponent(() => import('./sign-up.page'), 'SignUpPage'),
});
