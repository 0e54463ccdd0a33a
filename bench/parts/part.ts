import type { Figure } from '../figure';

/** What every part is told. */
export interface Order {
  /** How many events the large website has. */
  readonly events: number;
  /** A folder for CPU profiles of the apps; they cost speed. */
  readonly profileTo: string | undefined;
  readonly say: (line: string) => void;
}

/** Measures some rows of the table. */
export type Part = (order: Order) => Promise<readonly Figure[]>;
