import { createRoute } from '@tanstack/react-router';
import { rootRoute } from '../../layout/root.route';
import { optionalText } from '../search-params';
import { SignInPage } from './sign-in.page';

export const signInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: 'sign-in',
  /** `next`: the page of the console to go to then. */
  validateSearch: (search): { next?: string } => optionalText(search, 'next'),
  component: SignInPage,
});
