import { hash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { FlagVariant, VariantRange } from '@ledgerline/contracts/events/flag.events';

/** The number of buckets. */
export const BUCKETS = 2 ** 32;

/**
 * The bucket of a unit (a person, an organization, a team) for a flag, from 0: the first 32 bits of SHA-256 over both.
 * It depends on nothing else, so that a unit stays in while a rollout grows.
 */
export const rolloutBucket = (flagKey: string, unit: string): number =>
  Number.parseInt(hash('sha256', `${flagKey}:${unit}`, 'hex').slice(0, 8), 16);

/** A range for each variant in its order, as large as its weight. */
export function plainRanges(variants: readonly FlagVariant[]): readonly VariantRange[] {
  const total = variants.reduce((sum, { weight }) => sum + weight, 0);
  let sum = 0;
  return variants.map(({ key, weight }) => ({ variant: key, end: Math.ceil(((sum += weight) / total) * BUCKETS) }));
}

/** The key of the variant of a bucket. */
export const variantAt = (ranges: readonly VariantRange[], bucket: number): string | undefined =>
  ranges.find(({ end }) => bucket < end)?.variant;

/**
 * The ranges after variants were added, removed or weighted anew. A variant keeps its buckets as far as its weight
 * allows: those that change are as many as the weights differ, and no more. Null = plain ones.
 */
export function movedRanges(held: readonly VariantRange[], variants: readonly FlagVariant[]): VariantRange[] | null {
  const plain = piecesIn(plainRanges(variants));
  const lacking = new Map(plain.map((piece) => [piece.variant, sizeOf(piece)]));
  const kept = piecesIn(held)
    .toSorted((a, b) => sizeOf(b) - sizeOf(a)) // the small ones are given up first, so that ranges stay few
    .map((piece) => keep(piece, lacking));
  const moved = joined(fill(kept, lacking));
  return isDeepStrictEqual(moved, joined(plain)) ? null : moved;
}

interface Piece {
  readonly variant: string;
  readonly from: number;
  readonly end: number;
}

const sizeOf = ({ from, end }: Piece): number => end - from;

/** Without empty ones. */
const piecesIn = (ranges: readonly VariantRange[]): readonly Piece[] =>
  ranges
    .map(({ variant, end }, at) => ({ variant, from: ranges[at - 1]?.end ?? 0, end }))
    .filter((piece) => sizeOf(piece) > 0);

/** Keeps of a piece as many buckets as its variant still lacks. */
function keep({ variant, from, end }: Piece, lacking: Map<string, number>): Piece {
  const size = Math.min(end - from, lacking.get(variant) ?? 0);
  lacking.set(variant, (lacking.get(variant) ?? 0) - size);
  return { variant, from, end: from + size };
}

/** With the buckets between what was kept, which go to the variants that lack some. */
function fill(kept: readonly Piece[], lacking: Map<string, number>): readonly Piece[] {
  const pieces: Piece[] = [];
  const fillTo = (end: number) => {
    for (const variant of lacking.keys()) pieces.push(keep({ variant, from: pieces.at(-1)?.end ?? 0, end }, lacking));
  };
  for (const piece of kept.toSorted((a, b) => a.from - b.from)) {
    fillTo(piece.from);
    pieces.push(piece);
  }
  fillTo(BUCKETS);
  return pieces.filter((piece) => sizeOf(piece) > 0);
}

/** Neighbours of one variant are one range. */
const joined = (pieces: readonly Piece[]): VariantRange[] =>
  pieces.filter(({ variant }, at) => pieces[at + 1]?.variant !== variant).map(({ variant, end }) => ({ variant, end }));
