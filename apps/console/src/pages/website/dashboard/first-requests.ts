import { defaultParseSearch } from '@tanstack/react-router';
import { sendEarly } from '../../../api/first-answers';
import { scopeOf } from '../view/view-scope';
import { readView } from '../view/view-search';
import { firstParameters, readDashboard } from './dashboard-search';

const DASHBOARD = /\/organizations\/(\w+)\/websites\/(?!new\b)(\w+)\/?$/;

/** Sends what a dashboard asks at first while its scripts are loaded; without a session all but that is refused. */
export function sendFirstRequests({ pathname, search }: Location): void {
  const [, organizationId, websiteId] = DASHBOARD.exec(pathname) ?? [];
  if (organizationId === undefined || websiteId === undefined) return; // another page may ask much later
  sendEarly('/v1/auth/get-session');
  sendEarly('/v1/organizations');
  sendEarly(`/v1/websites?organizationId=${organizationId}`);
  sendEarly(`/v1/query?website_id=${websiteId}`, queryFor(websiteId, defaultParseSearch(search)));
}

function queryFor(websiteId: string, search: Record<string, unknown>) {
  const view = readView(search);
  const { website: _, ...scope } = scopeOf(websiteId, view);
  return { ...scope, parameters: firstParameters(view, readDashboard(search)) };
}
