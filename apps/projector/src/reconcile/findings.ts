import type { RowDifference } from '@ledgerline/platform/database/compare-rows';

/** A day of a website in its zone, of a link or a monitor in UTC. */
export interface SubjectDay {
  /** Website, link or monitor id. */
  readonly subject: string;
  /** Days since 1970-01-01. */
  readonly day: number;
}

/** A table that does not hold for a day what follows from the log. */
export interface Finding extends SubjectDay, RowDifference {
  readonly table: string;
}

export const dayName = (day: number): string => new Date(day * 86_400_000).toISOString().slice(0, 10);

/** One sentence for people. */
export function describeFinding({ table, subject, day, missing, extra, changed, expected, found }: Finding): string {
  const counts = Object.entries({ missing, 'too many': extra, different: changed }).filter(([, count]) => count > 0);
  const rows = counts.map(([what, count]) => `${count} ${what}`).join(', ');
  return `${table}: ${subject} on ${dayName(day)}: ${rows}; expected ${JSON.stringify(expected)}, found ${JSON.stringify(found)}`;
}
