import { keptCounts } from '@ledgerline/contracts/read-models/kept-counts';
import type { KeptCount } from '@ledgerline/domain/counting/count';
import type { DifferenceAt, RowDifference } from '@ledgerline/platform/database/compare-rows';
import type { KeptDifference } from '../comparing/kept-difference';
import type { ChangedText } from '../projections/websites/text-faults';
import { describeValues } from '../rebuild/describe-differences';

/** A day of a website in its zone, of a link or a monitor in UTC. */
export interface SubjectDay {
  /** Website, link or monitor id. */
  readonly subject: string;
  /** Days since 1970-01-01. */
  readonly day: number;
}

/** Rows of a table on a day that are not what follows from the log. */
export interface TableDifference extends RowDifference {
  readonly table: string;
  readonly day: number;
}

export type Finding = SubjectDay & TableDifference;

export const keyOf = ({ subject, day }: SubjectDay): string => `${subject} ${day}`;

export const dayName = (day: number): string => new Date(day * 86_400_000).toISOString().slice(0, 10);

/** The differences of each day in one, with the first rows. */
export function sumByDay(
  table: string,
  differences: readonly DifferenceAt[],
  dayOf: (at: number) => number,
): readonly TableDifference[] {
  const days = new Map<number, TableDifference>();
  for (const { at, missing, extra, changed, expected, found } of differences) {
    const day = dayOf(at);
    const sum = days.get(day) ?? { table, day, missing: 0, extra: 0, changed: 0, expected, found };
    const counts = { missing: sum.missing + missing, extra: sum.extra + extra, changed: sum.changed + changed };
    days.set(day, { ...sum, ...counts });
  }
  return [...days.values()];
}

/** The differences of a count as findings of its column. */
export const keptFindings = ({ name }: KeptCount, rows: readonly KeptDifference[]): readonly TableDifference[] =>
  sumByDay(
    `${keptCounts.name}.${name}`,
    rows.map(({ day, key, expected, found }) => ({
      ...{ at: day, subject: null },
      ...{ missing: found ? 0 : 1, extra: expected ? 0 : 1, changed: expected && found ? 1 : 0 },
      ...{ expected: expected && { ...key, ...expected }, found: found && { ...key, ...found } },
    })),
    (day) => day,
  );

/** Texts of a subject that were changed, in one finding: they are of no day, so it names the newest one. */
export function changedTextFindings(subject: string, day: number, texts: readonly ChangedText[]): readonly Finding[] {
  const [first] = texts;
  if (!first) return [];
  const { id, text, found } = first;
  const expected = text === null ? { id, text: 'the text of its hash' } : { id, text };
  const counts = { missing: 0, extra: 0, changed: texts.length };
  return [{ subject, day, table: 'dictionary', ...counts, expected, found: { id, text: found } }];
}

/** One sentence for people. */
export function describeFinding({ table, subject, day, missing, extra, changed, expected, found }: Finding): string {
  const counts = Object.entries({ missing, 'too many': extra, different: changed }).filter(([, count]) => count > 0);
  const rows = counts.map(([what, count]) => `${count} ${what}`).join(', ');
  return `${table}: ${subject} on ${dayName(day)}: ${rows}; expected ${describeValues(expected)}; found ${describeValues(found)}`;
}
