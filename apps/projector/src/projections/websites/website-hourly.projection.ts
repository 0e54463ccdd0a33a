import { websiteHourly } from '@ledgerline/contracts/read-models/website-totals';
import { rollup } from '../rollup';
import { totalsBy } from './totals';

export const websiteHourlyProjection = rollup(websiteHourly, (unit, add) => {
  const { website, calendar } = unit;
  for (const [hour, totals] of totalsBy((at) => calendar.hour(at), unit)) add({ website, hour, ...totals });
});
