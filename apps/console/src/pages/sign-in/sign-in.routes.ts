import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { signUpModeQuery } from '../../api/account';
import { rootRoute } from '../../layout/layout.routes';
import { optionalText } from '../search-params';
import { SignInPage } from './sign-in.page';

export const signInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: 'sign-in',
  /** `next`: the page of the console to go to then. */
  validateSearch: (search): { next?: string } => optionalText(search, 'next'),
  component: SignInPage,
});

export const signUpRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: 'sign-up',
  /** `next`: the page of the console to go to then. */
  validateSearch: (search): { next?: string } => optionalText(search, 'next'),
  loader: ({ context }) => context.queryClient.query({ ...signUpModeQuery, staleTime: 'static' }),
  component: lazyRouteComponent(() => import('./sign-up.page'), 'SignUpPage'),
});

export const forgotPasswordRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: 'forgot-password',
  component: lazyRouteComponent(() => import('./passwords.page'), 'ForgotPasswordPage'),
});

/** Mails link to it, with their token in the fragment. */
export const resetPasswordRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: 'reset-password',
  component: lazyRouteComponent(() => import('./passwords.page'), 'ResetPasswordPage'),
});
