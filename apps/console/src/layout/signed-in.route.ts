import { createRoute, redirect } from '@tanstack/react-router';
import { sessionQuery } from '../api/session';
import { AppLayout } from './app-layout';
import { rootRoute } from './root.route';

/** The parent of every page for people who are signed in; others are led to the sign-in, and back. */
export const signedInRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'signed-in',
  beforeLoad: async ({ context, location }) => {
    const session = await context.queryClient.query(sessionQuery);
    if (!session) throw redirect({ to: '/sign-in', search: { next: location.href } });
    return { user: session.user };
  },
  component: AppLayout,
});
