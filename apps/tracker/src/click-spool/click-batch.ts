import { randomBytes } from 'node:crypto';
import type { Hit } from '@ledgerline/platform/intake-log/intake-log';

export type Click = Pick<Hit, 'event' | 'subject'>;

/** Clicks that are spooled, sent and deduplicated together. */
export interface ClickBatch {
  /** 32 hex digits. */
  readonly batch: string;
  readonly clicks: readonly Click[];
}

export const newBatch = (clicks: readonly Click[]): ClickBatch => ({ batch: randomBytes(16).toString('hex'), clicks });

/** As the log takes them: remembered for 48 hours when they are sent, for ever when they are replayed. */
export const hitsOf = ({ batch, clicks }: ClickBatch, dedupe: Hit['dedupe']): Hit[] =>
  clicks.map(({ event, subject }) => ({ event, subject, dedupe, batch }));

/** One line of a spool file. */
export const serializeBatch = (batch: ClickBatch): string => `${JSON.stringify(batch)}\n`;

/** The batch of a line; null for a broken line. */
export function parseBatch(line: string): ClickBatch | null {
  try {
    const value: unknown = JSON.parse(line);
    return isBatch(value) ? value : null;
  } catch {
    return null;
  }
}

const isBatch = (value: unknown): value is ClickBatch =>
  isObject(value) && typeof value.batch === 'string' && Array.isArray(value.clicks) && value.clicks.every(isClick);

const isClick = (value: unknown): boolean =>
  isObject(value) && typeof value.subject === 'string' && isObject(value.event) && typeof value.event.id === 'string';

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;
