import type { ChainHead, SealedHead } from '../event-store';
import type { SealedHeads } from '../sealed-heads';
import { SealingFault } from '../sealing-faults';
import { verifySealedHead, type SignedHead } from '../signed-head';
import { headOf, type StreamTail } from './seal';
import type { Seals } from './seals';

interface Found {
  readonly tail: StreamTail | undefined;
  readonly kept: SignedHead | null | undefined;
  readonly heads: SealedHeads;
}

/** @throws SealingFault unless the seals of an organization are whole, and lead on from the head that was kept */
export async function checkSeals(seals: Seals, organization: string, { tail, kept, heads }: Found): Promise<void> {
  if (!tail?.seal) {
    if (kept) throw new SealingFault(`Its seals are missing; places 0 to ${kept.revision} were sealed.`);
    if (seals.hasTombstone(organization)) throw new SealingFault('Its stream of seals has a tombstone.');
    return;
  }
  const head = headOf(tail.seal);
  if (kept && head.revision < kept.revision)
    throw new SealingFault(`Its seals end at place ${head.revision}; places 0 to ${kept.revision} were sealed.`);
  if (kept && (await hashAt(seals, organization, head, kept.revision)) !== kept.hash)
    throw new SealingFault(`Its seals are others than those that were made: place ${kept.revision} has another hash.`);
  if (!(await seals.isWhole(tail.seal))) throw new SealingFault('Its oldest seals are missing.');
  if (kept?.revision !== head.revision && !(await isSigned(organization, { ...tail.seal, ...head }, heads)))
    throw new SealingFault('Its newest seal is not signed with a key of this installation.');
}

async function hashAt(seals: Seals, organization: string, head: ChainHead, revision: number): Promise<string | null> {
  if (head.revision === revision) return head.hash;
  const places = await seals.places(organization, revision, revision);
  return [...places.values()].find((place) => place.revision === revision)?.hash ?? null;
}

const isSigned = async (organization: string, head: SealedHead, heads: SealedHeads): Promise<boolean> =>
  verifySealedHead(organization, head, await heads.publicKeys()) === 'valid';
