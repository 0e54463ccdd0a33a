import type { Figure } from '../figure';
import type { Loaded } from '../loaded';

/** The arguments of every part. */
export interface BenchContext {
  /** The number of events the large website has. */
  readonly events: number;
  /** Share of the events that are of today, for the parts that only read. */
  readonly today: number;
  /** The number of events of today the part `today` has before more arrive. */
  readonly todayEvents: number;
  /** The time for which they arrive there. */
  readonly seconds: number;
  /** The memory of the machine by which the part `today` is started, MB; absent = as it is. */
  readonly memoryMb: number | undefined;
  /** The number of links the part `installation` has. */
  readonly links: number;
  /** A folder for CPU profiles of the apps; they cost speed. */
  readonly profileTo: string | undefined;
  /** A folder for the installation of the parts that only read; absent = a temporary one. */
  readonly keptIn: string | undefined;
  /** Where the part `intake` sends events; absent = to Postgres. */
  readonly kafkaBrokers: string | undefined;
  readonly print: (line: string) => void;
  /** Records details for the file of `--json` that are not in the table. */
  readonly detail: (name: string, value: unknown) => void;
  /** Filled when it is first asked for, and shared by the parts that only read. */
  readonly loaded: () => Promise<Loaded>;
}

/** Measures some rows of the table. */
export type Part = (order: BenchContext) => Promise<readonly Figure[]>;
