import { sessions } from '@ledgerline/contracts/read-models/sessions';
import { websiteDays } from '@ledgerline/contracts/read-models/website-days';
import { run, type Queryable } from '@ledgerline/platform/database/pool';
import { identifier, sql } from '@ledgerline/platform/database/sql';
import type { WrittenTables } from '../projections/written-tables';
import type { TableDifference } from './findings';

interface Numbers {
  readonly visitors: number;
  /** How many of them there are, and the highest one plus one. */
  readonly numbers: number;
  readonly next: number;
  /** Whether all sessions of each visitor have one. */
  readonly areWhole: boolean;
  /** In `website_days`. */
  readonly counted: number;
}

/**
 * Whether the visitors of a website have the numbers from 0 without gaps, each one of his own, and are counted: which
 * visitor has which number may depend on when events were written. A difference has no day of its own, so it gets one.
 */
export async function compareNumbers(
  on: Queryable,
  { state }: WrittenTables,
  { website, day }: { readonly website: number; readonly day: number },
): Promise<readonly TableDifference[]> {
  const [found] = await run<Numbers>(
    on,
    sql`
      with visitors as (
        select min(visitor_number) as lowest, max(visitor_number) as highest, count(visitor_number) = count(*) as has_all
        from ${identifier(state, sessions.name)} where website = ${website} and visitor is not null group by actor
      )
      select count(*)::integer as visitors, count(distinct lowest)::integer as numbers,
        coalesce(max(highest) + 1, 0) as next, coalesce(bool_and(has_all and lowest = highest), true) as "areWhole",
        coalesce((select visitors from ${identifier(state, websiteDays.name)} where website = ${website}), 0) as counted
      from visitors`,
  );
  if (!found) return [];
  const { visitors, numbers, next, areWhole, counted } = found;
  const difference = { day, missing: 0, extra: 0, changed: 1 };
  if (!areWhole || numbers !== visitors || next !== visitors) {
    const expected = { visitors, numbers: visitors, highest: visitors - 1 };
    return [{ ...difference, table: sessions.name, expected, found: { visitors, numbers, highest: next - 1 } }];
  }
  if (counted === visitors) return [];
  return [{ ...difference, table: websiteDays.name, expected: { visitors }, found: { visitors: counted } }];
}
