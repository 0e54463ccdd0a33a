import { Problem } from '@ledgerline/contracts/errors/error-codes';
import { yieldToEventLoop } from '@ledgerline/platform/log/yield-to-event-loop';

const MIB = 1024 * 1024;

/** How large the rows of all entries of a body may be together. */
export const MAX_ANSWER_MIB = 32;

const TOO_LARGE =
  `With these rows the response would exceed ${MAX_ANSWER_MIB} MiB; ` +
  'ask with a smaller limit, or for fewer types or requests at once.';

const ROWS_AT_ONCE = 500;

/** What the rows of a body's entries may add up to, by their approximate size as JSON. */
export class ResponseSizeLimit {
  constructor(private left = MAX_ANSWER_MIB * MIB) {}

  /** Takes the size of an entry's rows. @throws Problem VALIDATION_ERROR when they exceed what is left, which stays */
  async take(rows: readonly object[]): Promise<void> {
    const left = await this.leftAfter(rows);
    if (left < 0) throw tooLarge();
    this.left = left;
  }

  private async leftAfter(rows: readonly object[]): Promise<number> {
    const pause = yieldToEventLoop();
    let left = this.left;
    for (const [place, row] of rows.entries()) {
      left -= sizeOf(row);
      if (left < 0) break;
      if (place % ROWS_AT_ONCE === 0) await pause();
    }
    return left;
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
