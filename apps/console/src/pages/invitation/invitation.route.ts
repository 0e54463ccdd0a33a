import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { signedInRoute } from '../../layout/signed-in.route';

/** Mails link to it, with the id of the invitation in the fragment. */
export const invitationRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: 'accept-invitation',
  component: lazyRouteComponent(() => import('./invitation.page'), 'InvitationPage'),
});
