import type { Row } from '@ledgerline/domain/query/rows';
import { mapInSlices } from '@ledgerline/platform/log/yield-to-event-loop';
import { SIGNIFICANT_DIGITS } from '../fields';
import type { QueryType } from '../query-type';

/** The rows with the figures that are not exact rounded, whether they come from histograms or, exactly, from facts. */
export async function roundEstimates({ fields }: QueryType, rows: readonly Row[]): Promise<readonly Row[]> {
  const estimates = Object.keys(fields).filter((name) => fields[name]?.accuracy !== undefined);
  if (estimates.length === 0) return rows;
  return mapInSlices(rows, (row) => ({
    ...row,
    ...Object.fromEntries(estimates.map((name) => [name, rounded(row[name])])),
  }));
}

const rounded = (cell: unknown): unknown =>
  typeof cell === 'number' ? Number(cell.toPrecision(SIGNIFICANT_DIGITS)) : cell;
