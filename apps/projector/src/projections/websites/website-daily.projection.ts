import { websiteDaily } from '@ledgerline/contracts/read-models/website-totals';
import { rollup } from '../rollup';
import { totalsBy } from './totals';

export const websiteDailyProjection = rollup(websiteDaily, (unit, add) => {
  const { website, calendar } = unit;
  for (const [day, totals] of totalsBy((at) => calendar.day(at), unit)) add({ website, day, ...totals });
});
