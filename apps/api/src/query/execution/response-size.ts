import { Problem } from '@ledgerline/contracts/errors/error-codes';
import { yieldToEventLoop } from '@ledgerline/platform/log/timing';
import { type MemoryBudget, RequestMemory } from '../session-columns/memory-budget';

const MIB = 1024 * 1024;

/** How large the rows of all entries of a body may be together. */
export const MAX_ANSWER_MIB = 32;

const TOO_LARGE =
  `With these rows the response would exceed ${MAX_ANSWER_MIB} MiB; ` +
  'ask with a smaller limit, or for fewer types or requests at once.';

const ROWS_AT_ONCE = 500;

/** What the rows of a body's entries may add up to, by their approximate size as JSON. */
export class ResponseSizeLimit {
  private readonly memory: RequestMemory | undefined;

  /** @param memory which the rows take until it is released */
  constructor(
    memory?: MemoryBudget,
    private left = MAX_ANSWER_MIB * MIB,
  ) {
    this.memory = memory && new RequestMemory(memory);
  }

  /** How many bytes may still be taken. */
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
    if (fitting < rows.length) throw tooLarge();
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
    for (const [place, row] of rows.entries()) {
      const size = sizeOf(row);
      if (size > left) return { left, fitting: place };
      left -= size;
      if (place % ROWS_AT_ONCE === 0) await pause();
    }
    return { left, fitting: rows.length };
  }
}

const tooLarge = (): Problem => new Problem('VALIDATION_ERROR', TOO_LARGE);

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
