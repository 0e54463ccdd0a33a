/** The range of a website that a page of the console shows. */
export interface DashboardRange {
  readonly publicApiUrl: string;
  readonly organizationId: string;
  readonly websiteId: string;
  readonly startDate: string;
  readonly endDate: string;
  readonly timezone: string;
}

interface OneFilter {
  readonly field: string;
  readonly value: string;
}

/** The address of a dashboard with its range, days and comparison, and with one filter. */
export function dashboardAddress(of: DashboardRange, filter?: OneFilter): string {
  return addressOf(of, '', filter && JSON.stringify([{ ...filter, op: 'eq' }]));
}

/** The address of the page of a goal; of one without an id that of all of them. */
export const goalAddress = (of: DashboardRange, goalId: string): string =>
  addressOf(of, `/goals${goalId === '' ? '' : `/${goalId}`}`);

function addressOf(of: DashboardRange, page: string, filters?: string): string {
  const { publicApiUrl, organizationId, websiteId, startDate: from, endDate: to, timezone } = of;
  const search = new URLSearchParams({ from, to, timezone, compare: 'previous_period' });
  if (filters !== undefined) search.set('filters', filters);
  return `${publicApiUrl}/console/organizations/${organizationId}/websites/${websiteId}${page}?${search.toString()}`;
}
