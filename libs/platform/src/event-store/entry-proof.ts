import { chainHash } from './chain-hash';
import type { HistoryEntry } from './event-store';

/**
 * `sealed` = its hash at its place of the chain is that of its content; `pending` = too new to be sealed; `unproven` = it
 * is not what was sealed, was not sealed in time, or was written by something else.
 */
export const PROOFS = ['sealed', 'pending', 'unproven'] as const;
export type Proof = (typeof PROOFS)[number];

/** How far an entry is proven by itself; whether the chain leads on from it to a signed head is proven by verify-chain.ts. */
export function proofOf(entry: HistoryEntry): Proof {
  const { chain, doubt } = entry;
  if (doubt) return 'unproven';
  if (!chain) return 'pending';
  return chainHash(entry, chain.previousHash) === chain.hash ? 'sealed' : 'unproven';
}
