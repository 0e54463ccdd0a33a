import type { Figure } from '../figure';
import type { Loaded } from '../loaded';

/** What every part is told. */
export interface Order {
  /** How many events the large website has. */
  readonly events: number;
  /** A folder for CPU profiles of the apps; they cost speed. */
  readonly profileTo: string | undefined;
  readonly say: (line: string) => void;
  /** Keeps what the table has no room for; it is in the file of `--json`. */
  readonly detail: (name: string, value: unknown) => void;
  /** Filled when it is first asked for, and shared by the parts that only read. */
  readonly loaded: () => Promise<Loaded>;
}

/** Measures some rows of the table. */
export type Part = (order: Order) => Promise<readonly Figure[]>;
