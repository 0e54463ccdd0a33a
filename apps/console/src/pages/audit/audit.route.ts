import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { organizationRoute } from '../../layout/layout.routes';
import { auditSearch, type AuditSearch } from './audit-search';

/** For owners and admins. */
export const auditRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: 'audit',
  validateSearch: (search): AuditSearch => auditSearch(search),
  component: lazyRouteComponent(() => import('./audit.page'), 'AuditPage'),
});
