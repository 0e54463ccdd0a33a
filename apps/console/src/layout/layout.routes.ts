import type { QueryClient } from '@tanstack/react-query';
import { createRootRouteWithContext, createRoute, notFound, redirect } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { sessionQuery } from '../api/account';
import { organizationsQuery } from '../api/organizations';
import { PageSkeleton } from '../components/page';
import { AppLayout } from './app-layout';
import { rememberPerson } from './remembered';

/** Where the api serves the console. */
export const BASE = '/console';

/** Returns what the addresses of routes are below: shared dashboards have addresses of their own. */
export const baseOf = (pathname: string): string => (pathname.startsWith('/share/') ? '/' : BASE);

interface RouterContext {
  readonly queryClient: QueryClient;
  /** A part of the header that leads to every page, which the frame does not know. */
  readonly Switcher: () => ReactNode;
}

export const rootRoute = createRootRouteWithContext<RouterContext>()();

/** The parent of every page for people who are signed in; others are led to the sign-in, and back. */
export const signedInRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'signed-in',
  beforeLoad: async ({ context, location }) => {
    const session = await context.queryClient.query(sessionQuery);
    if (!session) throw redirect({ to: '/sign-in', search: { next: location.href } });
    rememberPerson(session.user.id);
    return { user: session.user };
  },
  component: AppLayout,
  // TRICKY: of no route that follows another page: what waits there leaves that page without its match, which throws
  pendingComponent: PageSkeleton,
});

/** The parent of every page of an organization. */
export const organizationRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: 'organizations/$organizationId',
  beforeLoad: async ({ context, params }) => {
    const organizations = await context.queryClient.query({ ...organizationsQuery, staleTime: 'static' });
    const organization = organizations.find(({ id }) => id === params.organizationId);
    if (!organization) throw notFound();
    return { organization };
  },
});
