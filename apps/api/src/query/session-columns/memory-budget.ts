import { Problem } from '@ledgerline/contracts/errors/error-codes';
import { UNIT_FIELDS } from '@ledgerline/contracts/read-models/session-days';
import type { Metrics } from '@ledgerline/platform/metrics/metrics';
import type { WantedColumns } from '@ledgerline/platform/session-days/session-chunks';
import { Gauge } from 'prom-client';

const MIB = 1024 * 1024;

/** Bytes of a number in a column, and in what is made of it while it is counted. */
const OF_NUMBER = 12;
/** Units of a kind that a session has, about: more page views, and visits of pages, than others. */
const USUAL_UNITS: Readonly<Record<string, number>> = { views: 3, visits: 3 };
/** A session that is read from its table, as text and as numbers. */
const OF_UNPACKED = 2_048;

/** How many sessions a question reads. */
export interface Reading {
  /** From columns. */
  readonly packed: number;
  /** From their table. */
  readonly unpacked: number;
}

/** About how many bytes a question holds at once. */
export function bytesOf({ packed, unpacked }: Reading, { fields, units }: WantedColumns): number {
  const numbers = units.reduce(
    (sum, unit) => sum + 1 + UNIT_FIELDS[unit].length * (USUAL_UNITS[unit] ?? 1),
    fields.length,
  );
  return (packed + unpacked) * numbers * OF_NUMBER + unpacked * OF_UNPACKED;
}

/** The memory that questions hold together: what does not fit waits, in order. */
export class MemoryBudget {
  private used = 0;
  private readonly waiting: { readonly bytes: number; readonly begin: () => void }[] = [];

  /** @param bytes of all questions together */
  constructor(
    private readonly bytes: number,
    { registry }: Pick<Metrics, 'registry'>,
  ) {
    const registers = [registry];
    const read = { budget: () => bytes, used: () => this.used };
    new Gauge({
      name: 'ledgerline_query_memory_bytes',
      help: 'Memory that questions about sessions may hold together (budget) and that they hold by estimate (used)',
      labelNames: ['kind'],
      registers,
      collect() {
        for (const [kind, value] of Object.entries(read)) this.set({ kind }, value());
      },
    });
    const { waiting } = this;
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
  async take(bytes: number, signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    if (bytes > this.bytes) throw tooLarge(bytes, this.bytes);
    if (this.waiting.length > 0 || this.used + bytes > this.bytes) await this.turn(bytes, signal);
    else this.used += bytes;
    let isHeld = true;
    return () => {
      if (isHeld) this.used -= bytes;
      isHeld = false;
      this.beginNext();
    };
  }

  private turn(bytes: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.waiting.splice(this.waiting.indexOf(waiting), 1);
        reject(signal.reason as Error);
        this.beginNext();
      };
      const begin = () => {
        signal.removeEventListener('abort', leave);
        this.used += bytes;
        resolve();
      };
      const waiting = { bytes, begin };
      signal.addEventListener('abort', leave, { once: true });
      this.waiting.push(waiting);
    });
  }

  private beginNext(): void {
    for (;;) {
      const [next] = this.waiting;
      if (!next || this.used + next.bytes > this.bytes) return;
      this.waiting.shift();
      next.begin();
    }
  }
}

const tooLarge = (bytes: number, of: number): Problem =>
  new Problem(
    'TOO_LARGE',
    `This needs about ${Math.ceil(bytes / MIB)} MB of the ${Math.floor(of / MIB)} MB that questions may hold here (QUERY_MEMORY_MB). A shorter range, or one without filters and in the website's own zone, needs less.`,
  );
