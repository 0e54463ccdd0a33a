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
