import { getHeapStatistics } from 'node:v8';
import { Gauge } from 'prom-client';
import type { WantedColumns } from '@ledgerline/aggregation/aggregation';
import { Problem } from '@ledgerline/contracts/errors/error-codes';
import { UNIT_FIELDS } from '@ledgerline/contracts/read-models/session-days';
import { yieldToEventLoop } from '@ledgerline/platform/log/timing';
import type { Metrics } from '@ledgerline/platform/metrics/metrics';
import type { ResultFields } from '../declaration/fields';

const MIB = 1024 * 1024;

/**
 * Bytes of a number in a column, and in what is made of it while it is counted: measured where a filter leaves all sessions
 * in. One that leaves fewer needs less, down to a third, as only what it is about is then decoded of all.
 */
const OF_NUMBER = 9;
/** Units of a kind that a session has, about: more page views, and visits of pages, than others. */
const USUAL_UNITS: Readonly<Record<string, number>> = { views: 3, visits: 3 };
/** The bytes of a session that is read from its table, as text. */
const OF_TEXT = 1_024;
/** The bytes of a field of a row as it is read and as it is answered, with its text; a list has some entries. */
const OF_FIELD = 192;
const OF_LIST = 2_048;
/** Fewer rows than these are made without being counted before. */
const FEW_ROWS = 1_000;
/** Rows of an answer, as they are and as JSON, for each byte of JSON. */
const OF_JSON = 4;

/** The number of sessions that a question reads. */
interface Reading {
  /** From columns. */
  readonly packed: number;
  /** From their table. */
  readonly unpacked: number;
}

/**
 * Bytes: of typed arrays, which lie outside of the heap of JavaScript, and in it of sessions as texts, of rows that are made,
 * and of answers that are not sent yet.
 */
type Memory = Readonly<Record<(typeof KINDS)[number], number>>;
const KINDS = ['columns', 'texts', 'rows', 'answers'] as const;
export type MemoryNeed = Partial<Memory>;

/** The bytes that an api has in its heap without questions. */
const BASE = 110 * MIB;
/** The semi-space of V8, where no option names it. */
const USUAL_SEMI_SPACE_MB = 16;
const SEMI_SPACE = /--max[-_]semi[-_]space[-_]size[= ](\d+)/g;

/** Bytes of the old generation that questions may fill: the limit has three semi-spaces of the young one. */
export function heapRoom(
  limit = getHeapStatistics().heap_size_limit,
  options: readonly string[] = [process.env['NODE_OPTIONS'] ?? '', ...process.execArgv],
): number {
  const [, semiSpaceMb = USUAL_SEMI_SPACE_MB] = [...options.join(' ').matchAll(SEMI_SPACE)].at(-1) ?? [];
  const old = limit - 3 * Number(semiSpaceMb) * MIB;
  return Math.max(old - BASE, old / 8);
}

/** The part of this room that each may take together. */
const OF_ROOM = { texts: 3 / 8, rows: 1 / 4, answers: 1 / 8 } as const;

/** Returns what an api may hold, in bytes: columns outside of its heap, and the room in it. */
export const memoryWithin = (columns: number, room = heapRoom()): Memory => ({
  columns,
  texts: room * OF_ROOM.texts,
  rows: room * OF_ROOM.rows,
  answers: room * OF_ROOM.answers,
});

/** About how much a question holds of sessions at once. */
export function memoryOf(
  { packed, unpacked }: Reading,
  { fields, units }: WantedColumns,
): Pick<Memory, 'columns' | 'texts'> {
  const numbers = units.reduce(
    (sum, unit) => sum + 1 + UNIT_FIELDS[unit].length * (USUAL_UNITS[unit] ?? 1),
    fields.length,
  );
  return { columns: (packed + unpacked) * numbers * OF_NUMBER, texts: unpacked * OF_TEXT };
}

/** The memory that questions hold together: what does not fit waits, in order. */
export class MemoryBudget {
  private readonly used = { columns: 0, texts: 0, rows: 0, answers: 0 };
  private readonly waiting: { readonly need: MemoryNeed; readonly begin: () => void }[] = [];

  /** @param budget of all questions together */
  constructor(
    private readonly budget: Memory,
    { registry }: Pick<Metrics, 'registry'>,
  ) {
    const { used, waiting } = this;
    const registers = [registry];
    const gauge = (name: string, help: string, read: Memory) =>
      new Gauge({
        name,
        help,
        registers,
        labelNames: ['of'],
        collect() {
          for (const of of KINDS) this.set({ of }, read[of]);
        },
      });
    gauge('ledgerline_query_memory_limit_bytes', 'Memory that questions may hold together', budget);
    gauge('ledgerline_query_memory_bytes', 'Memory that questions hold, by estimate', used);
    new Gauge({
      name: 'ledgerline_query_memory_waiting',
      help: 'Questions that wait for memory',
      registers,
      collect() {
        this.set(waiting.length);
      },
    });
  }

  /** Bytes that questions hold, and that they may hold together. */
  get state(): { readonly used: number; readonly limit: number; readonly waiting: number } {
    return { used: sumOf(this.used), limit: sumOf(this.budget), waiting: this.waiting.length };
  }

  /**
   * Takes memory in turn; answers how it is given back.
   * @throws Problem TOO_LARGE for more than there is · the reason of the signal when that is aborted first
   */
  async take(need: MemoryNeed, signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    this.refuse(need);
    await new Promise<void>((resolve, reject) => {
      const leave = () => {
        this.waiting.splice(this.waiting.indexOf(waiting), 1);
        reject(signal.reason as Error);
        this.beginNext();
      };
      const begin = () => {
        signal.removeEventListener('abort', leave);
        resolve();
      };
      const waiting = { need, begin };
      signal.addEventListener('abort', leave, { once: true });
      this.waiting.push(waiting);
      this.beginNext();
    });
    return this.heldOf(need);
  }

  /**
   * Takes memory that is free, for a question that others may wait for; answers how it is given back.
   * @throws Problem TOO_LARGE for more than there is · SERVICE_UNAVAILABLE where others hold it
   */
  takeNow(need: MemoryNeed): () => void {
    this.refuse(need);
    const giveBack = this.takeIfFree(need);
    if (!giveBack) throw new Problem('SERVICE_UNAVAILABLE', HELD_BY_OTHERS, undefined, 1);
    return giveBack;
  }

  /** Takes memory if it is free; answers how it is given back. */
  takeIfFree(need: MemoryNeed): (() => void) | undefined {
    if (!this.fits(need)) return undefined;
    this.add(need, 1);
    return this.heldOf(need);
  }

  private refuse(need: MemoryNeed): void {
    const kind = KINDS.find((of) => (need[of] ?? 0) > this.budget[of]);
    if (kind) throw tooLarge(kind, need[kind] ?? 0, this.budget[kind]);
  }

  private heldOf(need: MemoryNeed): () => void {
    let isHeld = true;
    return () => {
      if (isHeld) this.add(need, -1);
      isHeld = false;
      this.beginNext();
    };
  }

  private fits(need: MemoryNeed): boolean {
    return KINDS.every((of) => this.used[of] + (need[of] ?? 0) <= this.budget[of]);
  }

  private add(need: MemoryNeed, sign: 1 | -1): void {
    for (const of of KINDS) this.used[of] += sign * (need[of] ?? 0);
  }

  /** Begins those that wait; of those for the same kind, the first one first. */
  private beginNext(): void {
    const awaited = new Set<string>();
    for (const next of [...this.waiting]) {
      const kinds = KINDS.filter((of) => (next.need[of] ?? 0) > 0);
      if (kinds.some((of) => awaited.has(of)) || !this.fits(next.need)) {
        for (const of of kinds) awaited.add(of);
        continue;
      }
      this.waiting.splice(this.waiting.indexOf(next), 1);
      this.add(next.need, 1);
      next.begin();
    }
  }
}

/**
 * The memory that one request holds until it is answered. It waits only while it holds nothing, so that no two wait for
 * each other.
 */
export class RequestMemory {
  private readonly held: (() => void)[] = [];

  constructor(private readonly budget: MemoryBudget) {}

  /** Takes what so many rows take while they are made. @throws as `take` and `takeNow` of the budget */
  async takeRows(rows: number, fields: ResultFields, until: () => AbortSignal): Promise<void> {
    if (rows <= FEW_ROWS) return;
    const ofRow = Object.values(fields).reduce((sum, { type }) => sum + (type === 'array' ? OF_LIST : OF_FIELD), 0);
    const need = { rows: rows * ofRow };
    this.held.push(this.held.length === 0 ? await this.budget.take(need, until()) : this.budget.takeNow(need));
  }

  /** Takes what rows take until they are sent. @param bytes of their JSON @throws as `takeNow` of the budget */
  takeAnswer(bytes: number): void {
    this.held.push(this.budget.takeNow({ answers: bytes * OF_JSON }));
  }

  release(): void {
    for (const giveBack of this.held.splice(0)) giveBack();
  }
}

/** The greatest size of the rows of all entries of a body together. */
export const MAX_ANSWER_MIB = 32;

const TOO_LARGE =
  `With these rows the response would exceed ${MAX_ANSWER_MIB} MiB; ` +
  'ask with a smaller limit, or for fewer types or requests at once.';

const ROWS_AT_ONCE = 500;

/** Limits what the rows of a body's entries may add up to, by their approximate size as JSON. */
export class ResponseSizeLimit {
  private readonly memory: RequestMemory | undefined;

  /** @param memory which the rows take until it is released */
  constructor(
    memory?: MemoryBudget,
    private left = MAX_ANSWER_MIB * MIB,
  ) {
    this.memory = memory && new RequestMemory(memory);
  }

  /** The number of bytes that may still be taken. */
  get rest(): number {
    return this.left;
  }

  /** Takes so many bytes if they are left. @throws Problem TOO_LARGE · SERVICE_UNAVAILABLE as {@link RequestMemory.takeAnswer} */
  takeBytes(bytes: number): boolean {
    if (bytes > this.left) return false;
    this.memory?.takeAnswer(bytes);
    this.left -= bytes;
    return true;
  }

  /** Takes the size of an entry's rows. @throws Problem VALIDATION_ERROR when they exceed what is left, which stays */
  async take(rows: readonly object[]): Promise<void> {
    const { left, fitting } = await this.leftAfter(rows);
    if (fitting < rows.length) throw new Problem('VALIDATION_ERROR', TOO_LARGE);
    this.takeBytes(this.left - left);
  }

  /** The first rows, as many as fit; takes their size. */
  async fit<R extends object>(rows: readonly R[]): Promise<readonly R[]> {
    const { left, fitting } = await this.leftAfter(rows);
    this.takeBytes(this.left - left);
    return rows.slice(0, fitting);
  }

  release(): void {
    this.memory?.release();
  }

  private async leftAfter(rows: readonly object[]): Promise<{ readonly left: number; readonly fitting: number }> {
    const pause = yieldToEventLoop();
    let left = this.left;
    for (const [nth, row] of rows.entries()) {
      const size = sizeOf(row);
      if (size > left) return { left, fitting: nth };
      left -= size;
      if (nth % ROWS_AT_ONCE === 0) await pause();
    }
    return { left, fitting: rows.length };
  }
}

/** The approximate length as JSON: texts count as many bytes as they have characters. */
function sizeOf(value: unknown): number {
  if (typeof value === 'string') return value.length + 3;
  if (typeof value !== 'object' || value === null) return 8;
  if (value instanceof Date) return 27;
  let size = 2;
  if (Array.isArray(value)) for (const part of value) size += sizeOf(part);
  else for (const name in value) size += name.length + 3 + sizeOf(value[name as keyof typeof value]);
  return size;
}

const HELD_BY_OTHERS = 'Other questions hold the memory that this one needs; try again in a moment.';

/** The owners of the memory, and what needs less. */
const CAUSES = {
  columns: ['of questions (QUERY_MEMORY_MB)', "A shorter range, or one without filters and in the website's own zone"],
  texts: [
    'of sessions that are not packed yet, which they are some minutes after the last event of their day,',
    'A shorter range',
  ],
  rows: ['of rows (by API_HEAP_MB)', "A smaller limit or page, or the list's own order,"],
  answers: ['of answers (by API_HEAP_MB)', 'A smaller limit, or fewer types or requests at once,'],
} as const satisfies Record<keyof Memory, readonly [string, string]>;

function tooLarge(kind: keyof Memory, need: number, budget: number): Problem {
  const [of, less] = CAUSES[kind];
  const parts = `about ${Math.ceil(need / MIB)} MB of the ${Math.floor(budget / MIB)} MB ${of}`;
  return new Problem('TOO_LARGE', `This needs ${parts} that there are here. ${less} needs less.`);
}

const sumOf = (memory: Memory): number => KINDS.reduce((sum, of) => sum + memory[of], 0);
