import Table from 'cli-table3';

/** One row of the table of figures. */
export interface Figure {
  /** The row of the targets, such as `P1`. */
  readonly id: string;
  readonly what: string;
  readonly target: string;
  readonly measured: string;
  /** The yardstick that it is compared with, measured in the same run; empty where the target is absolute. */
  readonly yardstick: string;
  readonly ratio: string;
  /** null = for information, there is no target. */
  readonly isMet: boolean | null;
}

export function tableOf(figures: readonly Figure[]): string {
  const head = ['', 'What', 'Target', 'Measured', 'Yardstick', 'Ratio', 'Met'];
  const table = new Table({
    head,
    style: { head: [], border: [] },
    wordWrap: true,
    colWidths: [5, 40, 25, 30, 28, 9, 5],
  });
  for (const { id, what, target, measured, yardstick, ratio, isMet } of figures) {
    table.push([id, what, target, measured, yardstick, ratio, isMet === null ? '' : isMet ? 'yes' : 'NO']);
  }
  return table.toString();
}

const grouped = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });

export const count = (value: number): string => grouped.format(value);
export const perSecond = (value: number, things: string): string => `${count(value)} ${things}/s`;
export const percent = (share: number): string => `${Math.round(share * 100)} %`;
export const times = (factor: number): string => `${factor.toFixed(factor < 10 ? 2 : 0)}×`;
export const ms = (value: number): string => `${value < 10 ? value.toFixed(1) : count(value)} ms`;

/** Rates per CPU second of everything that took part, which a busy machine does not change. */
export const perCpuSecond = (value: number): string =>
  Number.isFinite(value) ? ` (${count(value)} per CPU second)` : '';
