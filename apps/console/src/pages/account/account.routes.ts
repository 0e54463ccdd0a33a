import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { signUpModeQuery } from '../../api/account';
import { organizationsQuery } from '../../api/organizations';
import { rootRoute, signedInRoute } from '../../layout/layout.routes';
import { optionalText } from '../search-params';

/** Leads to the websites of the first organization; people without one create it. */
export const homeRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/',
  loader: async ({ context }) => {
    const [first] = await context.queryClient.query({ ...organizationsQuery, staleTime: 'static' });
    if (!first) throw redirect({ to: '/new-organization', replace: true });
    throw redirect({ to: '/organizations/$organizationId/websites', params: { organizationId: first.id } });
  },
});

export const accountRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: 'account',
  component: lazyRouteComponent(() => import('./account.page'), 'AccountPage'),
});

/** Mails link to it, with the id of the invitation in the fragment. */
export const invitationRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: 'accept-invitation',
  component: lazyRouteComponent(() => import('../organization/invitations.page'), 'InvitationPage'),
});

export const signInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: 'sign-in',
  /** `next`: the page of the console to go to then. */
  validateSearch: (search): { next?: string } => optionalText(search, 'next'),
  component: lazyRouteComponent(() => import('../sign-in/sign-in.page'), 'SignInPage'),
});

export const signUpRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: 'sign-up',
  /** `next`: the page of the console to go to then. */
  validateSearch: (search): { next?: string } => optionalText(search, 'next'),
  loader: ({ context }) => context.queryClient.query({ ...signUpModeQuery, staleTime: 'static' }),
  component: lazyRouteComponent(() => import('../sign-in/sign-up.page'), 'SignUpPage'),
});

export const forgotPasswordRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: 'forgot-password',
  component: lazyRouteComponent(() => import('../sign-in/passwords.page'), 'ForgotPasswordPage'),
});

/** Mails link to it, with their token in the fragment. */
export const resetPasswordRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: 'reset-password',
  component: lazyRouteComponent(() => import('../sign-in/passwords.page'), 'ResetPasswordPage'),
});
