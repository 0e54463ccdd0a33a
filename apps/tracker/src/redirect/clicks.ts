import { randomBytes } from 'node:crypto';
import type { Hit } from '@ledgerline/platform/intake-log/intake-log';

export type Click = Pick<Hit, 'event' | 'subject'>;

/** Clicks that are written, sent and recognised together. */
export interface Clicks {
  /** 32 hex digits. */
  readonly batch: string;
  readonly clicks: readonly Click[];
}

export const together = (clicks: readonly Click[]): Clicks => ({ batch: randomBytes(16).toString('hex'), clicks });

/** As the log takes them: remembered for 48 hours when they are sent, for ever when they are replayed. */
export const hitsOf = ({ batch, clicks }: Clicks, dedupe: Hit['dedupe']): Hit[] =>
  clicks.map(({ event, subject }) => ({ event, subject, dedupe, batch }));

/** As the spool keeps them. */
export const lineOf = (clicks: Clicks): string => `${JSON.stringify(clicks)}\n`;

/** Written into the spool behind batches that the log has taken. */
export const noteOf = (batches: readonly string[]): string => `${NOTE}${JSON.stringify(batches)}}\n`;

/** The lines that hold what the log is not known to have taken, without the notes of it. */
export function untaken(lines: readonly string[]): readonly string[] {
  const taken = new Set(lines.flatMap(batchesNoted));
  return lines.filter((line) => !line.startsWith(NOTE) && !taken.has(line.slice(BATCH_AT, BATCH_AT + 32)));
}

const NOTE = '{"taken":';
/** Where a line names its batch; to parse whole files for it would stop this thread. */
const BATCH_AT = '{"batch":"'.length;

function batchesNoted(line: string): readonly string[] {
  return line.startsWith(NOTE) ? (line.match(/[0-9a-f]{32}/g) ?? []) : [];
}

/** What a line of the spool holds; null for a broken one. */
export function clicksIn(line: string): Clicks | null {
  try {
    const value: unknown = JSON.parse(line);
    return isClicks(value) ? value : null;
  } catch {
    return null;
  }
}

const isClicks = (value: unknown): value is Clicks =>
  isObject(value) && typeof value.batch === 'string' && Array.isArray(value.clicks) && value.clicks.every(isClick);

const isClick = (value: unknown): boolean =>
  isObject(value) && typeof value.subject === 'string' && isObject(value.event) && typeof value.event.id === 'string';

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;
