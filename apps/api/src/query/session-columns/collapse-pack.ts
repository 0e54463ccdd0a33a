import { encodePack } from '@ledgerline/domain/counting/kept-bytes';
import { layoutOf } from '@ledgerline/domain/counting/kept-pack';
import { KeptRange } from '@ledgerline/domain/counting/kept-range';
import { KEPT_COUNTS } from '@ledgerline/domain/counts/website-counts';
import { inScratch } from '@ledgerline/domain/session-days/scratch';

/** A pack of a kept count, and the range of days (since 1970-01-01, both included) that is asked for again and again. */
export interface CollapseTask {
  readonly collapse: {
    readonly name: string;
    readonly since: number;
    readonly until: number;
    readonly bytes: Uint8Array;
  };
  readonly scratchBytes: number;
}

/** Smaller packs are counted sooner than what the range counts of them is kept. */
export const LEAST_TO_COLLAPSE = 16_384;

/** Beside the key of a pack: the name of what a range counts of it. */
export const collapsedName = (
  name: string,
  { since, until }: { readonly since: number; readonly until: number },
): string => `${name} ${since} ${until}`;

/** What the range counts of the pack, without its days, in memory that threads share. A pure function. */
export function collapsePack({ collapse: { name, since, until, bytes }, scratchBytes }: CollapseTask): Uint8Array {
  const count = KEPT_COUNTS.find((each) => each.name === name);
  if (!count) throw new Error(`Nothing of the name ${name} is kept.`);
  return inScratch(scratchBytes, () => {
    const range = new KeptRange(count, { since, until, packsOf: () => [bytes] });
    const collapsed = encodePack(layoutOf(count), range.collapsed(since));
    const shared = new Uint8Array(new SharedArrayBuffer(collapsed.length));
    shared.set(collapsed);
    return shared;
  });
}
