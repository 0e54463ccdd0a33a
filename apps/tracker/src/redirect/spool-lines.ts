import type { Hit } from '@ledgerline/platform/intake-log/intake-log';

/** A hit as the spool keeps it. */
export const lineOf = (hit: Hit): string => `${JSON.stringify(hit)}\n`;

/** A last line that was cut off by a crash is no click that was promised to anybody. */
export function hitsOf(line: string): readonly Hit[] {
  try {
    return [{ ...(JSON.parse(line) as Hit), dedupe: 'forever' }];
  } catch {
    return [];
  }
}
