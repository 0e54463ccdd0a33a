import { DASHBOARD_PANELS } from '@ledgerline/contracts/events/share.events';
import { queryTypeNamed } from '../../apps/api/src/query/types/catalogue';
import { publicLists } from '../../apps/console/src/pages/shares/public-lists';
import { reportAt } from '../../apps/console/src/pages/website/report/reports';

describe('the lists of a shared dashboard', () => {
  it.each(DASHBOARD_PANELS)('are those of %s that need no account, and no others', (panel) => {
    const isPublic = (type: string) => queryTypeNamed(type)?.publicAccess === true;
    expect(publicLists(panel)).toEqual(reportAt(panel)!.lists.filter(isPublic));
    expect(publicLists(panel).length).toBeGreaterThan(0);
  });
});
