import { Problem } from '@ledgerline/contracts/errors/error-codes';
import { UNIT_FIELDS } from '@ledgerline/contracts/read-models/session-days';
import type { Metrics } from '@ledgerline/platform/metrics/metrics';
import type { WantedColumns } from '@ledgerline/aggregation/aggregation';
import { Gauge } from 'prom-client';

const MIB = 1024 * 1024;

/** Bytes of a number in a column, and in what is made of it while it is counted. */
const OF_NUMBER = 12;
/** Units of a kind that a session has, about: more page views, and visits of pages, than others. */
const USUAL_UNITS: Readonly<Record<string, number>> = { views: 3, visits: 3 };
/** Of a session that is read from its table, as text. */
const OF_TEXT = 1_024;

/** How many sessions a question reads. */
export interface Reading {
  /** From columns. */
  readonly packed: number;
  /** From their table. */
  readonly unpacked: number;
}

/** Bytes: of typed arrays, which lie outside of the heap of JavaScript, and of texts in it. */
export interface Memory {
  readonly columns: number;
  readonly texts: number;
}

/** About how much a question holds at once. */
export function memoryOf({ packed, unpacked }: Reading, { fields, units }: WantedColumns): Memory {
  const numbers = units.reduce(
    (sum, unit) => sum + 1 + UNIT_FIELDS[unit].length * (USUAL_UNITS[unit] ?? 1),
    fields.length,
  );
  return { columns: (packed + unpacked) * numbers * OF_NUMBER, texts: unpacked * OF_TEXT };
}

const KINDS = ['columns', 'texts'] as const satisfies readonly (keyof Memory)[];

/** The memory that questions hold together: what does not fit waits, in order. */
export class MemoryBudget {
  private readonly used = { columns: 0, texts: 0 };
  private readonly waiting: { readonly need: Memory; readonly begin: () => void }[] = [];

  /** @param budget of all questions together */
  constructor(
    private readonly budget: Memory,
    { registry }: Pick<Metrics, 'registry'>,
  ) {
    const { used, waiting } = this;
    const registers = [registry];
    const gauge = (name: string, help: string, read: Memory) =>
      new Gauge({
        ...{ name, help, registers, labelNames: ['of'] },
        collect() {
          for (const of of KINDS) this.set({ of }, read[of]);
        },
      });
    gauge('ledgerline_query_memory_limit_bytes', 'Memory that questions about sessions may hold together', budget);
    gauge('ledgerline_query_memory_bytes', 'Memory that questions about sessions hold, by estimate', used);
    new Gauge({
      name: 'ledgerline_query_memory_waiting',
      help: 'Questions that wait for memory',
      registers,
      collect() {
        this.set(waiting.length);
      },
    });
  }

  /**
   * Takes memory in turn; answers how it is given back.
   * @throws Problem TOO_LARGE for more than there is · the reason of the signal when that is aborted first
   */
  async take(need: Memory, signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    if (KINDS.some((of) => need[of] > this.budget[of])) throw tooLarge(need, this.budget);
    if (this.waiting.length > 0 || !this.fits(need)) await this.turn(need, signal);
    else this.add(need, 1);
    let isHeld = true;
    return () => {
      if (isHeld) this.add(need, -1);
      isHeld = false;
      this.beginNext();
    };
  }

  private fits(need: Memory): boolean {
    return KINDS.every((of) => this.used[of] + need[of] <= this.budget[of]);
  }

  private add(need: Memory, sign: 1 | -1): void {
    for (const of of KINDS) this.used[of] += sign * need[of];
  }

  private turn(need: Memory, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.waiting.splice(this.waiting.indexOf(waiting), 1);
        reject(signal.reason as Error);
        this.beginNext();
      };
      const begin = () => {
        signal.removeEventListener('abort', leave);
        this.add(need, 1);
        resolve();
      };
      const waiting = { need, begin };
      signal.addEventListener('abort', leave, { once: true });
      this.waiting.push(waiting);
    });
  }

  private beginNext(): void {
    for (;;) {
      const [next] = this.waiting;
      if (!next || !this.fits(next.need)) return;
      this.waiting.shift();
      next.begin();
    }
  }
}

function tooLarge(need: Memory, budget: Memory): Problem {
  const mib = (bytes: number, round: (of: number) => number) => round(bytes / MIB);
  const of = need.columns > budget.columns ? 'columns' : 'texts';
  const limit = `${mib(budget[of], Math.floor)} MB that questions may hold here`;
  const cause =
    of === 'columns'
      ? `${limit} (QUERY_MEMORY_MB)`
      : `${limit} of sessions that are not packed yet, which they are some minutes after the last event of their day`;
  return new Problem(
    'TOO_LARGE',
    `This needs about ${mib(need[of], Math.ceil)} MB of the ${cause}. A shorter range, or one without filters and in the website's own zone, needs less.`,
  );
}
