import { rankedByDays } from '../../sql/rollups';
import type { ReadModel } from '@ledgerline/contracts/read-models/read-model';
import { browsers, deviceTypes } from '@ledgerline/contracts/read-models/website-dimensions';
import type { Attribute } from '@ledgerline/domain/sessions/session';
import { count, textIn } from '../../fields';
import { beside, counted } from '../../counting/counted';
import { COUNT, IN_SESSION, VISITORS } from '../../counting/measures';
import { ranked } from '../../counting/ranked';
import { COUNTED_SESSIONS } from '../../counting/session-items';
import { byCounts, queryType, type QueryType } from '../../query-type';
import { NAME } from '../../labels';

export const sessionsByDevice = sessionsBy('device', 'Sessions by device category', deviceTypes, 'device_type');
export const sessionsByBrowser = sessionsBy('browser', 'Sessions by browser', browsers, 'browser_name');

/** Sessions by their first page view in range, visitors by page views in range, of each value that has sessions. */
function sessionsBy(what: string, description: string, rollup: ReadModel, column: Attribute): QueryType {
  const [counts, by] = [['sessions', 'visitors'], { value: column }];
  return queryType({
    name: `sessions_by_${what}`,
    about: 'website',
    shape: 'list',
    category: 'Sessions',
    description,
    fields: { ...NAME.fields, sessions: count, visitors: count },
    order: byCounts(counts, 'name'),
    sources: { days: (context) => rankedByDays(context, { rollup, by: 'sessions', withoutMissing: false }) },
    sessionColumns: ranked(
      beside(
        ['value'],
        counted({ of: COUNTED_SESSIONS, by, measures: { sessions: COUNT } }),
        counted({ of: 'views', by, where: IN_SESSION, measures: { visitors: VISITORS } }),
      ),
      { by: counts, share: 'visitors' },
    ),
    row: (found) => NAME.of(textIn(found, 'text')),
  });
}
