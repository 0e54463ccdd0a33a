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

/** A last line that was cut off by a crash holds no click that was promised to anybody. */
export function clicksIn(line: string): readonly Clicks[] {
  try {
    return [JSON.parse(line) as Clicks];
  } catch {
    return [];
  }
}
