import { defaultParseSearch } from '@tanstack/react-router';
import { sendEarly } from './api/first-answers';
import { applyTheme, storedTheme } from './layout/remembered';
import { firstParameters, readDashboard } from './pages/website/dashboard/dashboard-search';
import { readWebsiteView, scopeOf } from './pages/website/view/view-scope';

const DASHBOARD = /\/organizations\/(\w+)\/websites\/(?!new\b)(\w+)\/?$/;

/** A shared dashboard, which asks for itself first. */
const SHARED = /^\/share\/[\w-]+$/;

/** Sends what a dashboard asks at first while its scripts are loaded; without a session all but that is refused. */
function sendFirstRequests({ pathname, search }: Location): void {
  if (SHARED.test(pathname)) sendEarly(`${pathname}/dashboard`);
  const [, organizationId, websiteId] = DASHBOARD.exec(pathname) ?? [];
  if (organizationId === undefined || websiteId === undefined) return; // another page may ask much later
  sendEarly('/v1/auth/get-session');
  sendEarly('/v1/organizations');
  sendEarly(`/v1/websites?organizationId=${organizationId}`);
  sendEarly(`/v1/query?website_id=${websiteId}`, queryFor(defaultParseSearch(search)));
}

function queryFor(search: Record<string, unknown>) {
  const view = readWebsiteView(search);
  return { ...scopeOf({}, view), parameters: firstParameters(view, readDashboard(search)) };
}

// the script in the page runs before anything is shown: the page never flashes in the other theme
applyTheme(storedTheme());
sendFirstRequests(location);
