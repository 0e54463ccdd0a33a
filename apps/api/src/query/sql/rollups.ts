import { instantsOf } from '@ledgerline/domain/query/buckets';
import type { QueryContext } from '../query-type';

/** Whether what is kept of days can answer: without filters, of whole days in the website's own zone. */
export const hasDays = ({ filters, zone, ownZone, to, ...days }: QueryContext): boolean =>
  filters.length === 0 && zone === ownZone && to === instantsOf(days, zone).to;
