import type { Difference, DifferentRow } from './difference';

/** How many rows differ in each table, and the first of them with both values. */
export const describeDifferences = (differences: readonly Difference[]): string =>
  differences
    .flatMap(({ table, onlyBefore, onlyAfter, rows }) => [
      `  ${table}: ${onlyBefore} rows only in the live version, ${onlyAfter} only in the rebuilt one`,
      ...rows.map(describeRow),
    ])
    .join('\n');

function describeRow({ key, before, after }: DifferentRow): string {
  return `    ${listed(key)}: live ${describeValues(before)} · rebuilt ${describeValues(after)}`;
}

/** The columns of a row for people, without the ends of long values. */
export const describeValues = (row: DifferentRow['before']): string => (row === null ? 'no row' : listed(row));

const MAX_TEXT = 60;

function listed(columns: Readonly<Record<string, unknown>>): string {
  const texts = Object.entries(columns).map(([name, value]) => {
    const text = JSON.stringify(value);
    return `${name} ${text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text}`;
  });
  return texts.length === 0 ? 'a row' : texts.join(', ');
}
