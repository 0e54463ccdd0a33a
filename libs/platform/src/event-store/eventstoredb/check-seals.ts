import { createPublicKey, type KeyObject } from 'node:crypto';
import type { ChainHead } from '../event-store';
import { BEGINNING, type Cursor } from '../../log/log-reader';
import type { SealedHeads } from '../sealed-heads';
import { SealingFault } from '../sealing-faults';
import { publicKeysOf, verifySealedHead, type PublicKeys, type SignedHead } from '../signed-head';
import { compareCursors } from './position';
import { headOf, sealedHeadOf, type Seal, type StreamTail } from './seal';
import type { Seals } from './seals';

/** Checks what seals say before a sealer goes on by it: any client may have appended them. */
export class SealChecks {
  private keys: PublicKeys;

  constructor(
    private readonly seals: Seals,
    key: KeyObject,
    private readonly heads: SealedHeads,
  ) {
    this.keys = publicKeysOf(createPublicKey(key));
  }

  /**
   * The newest event in an organization's stream of seals.
   * @throws SealingFault unless its seals are whole, signed, and lead on from the head that was kept
   */
  async tail(organization: string): Promise<StreamTail | undefined> {
    const kept = await this.heads.newest(organization); // before the seals, as a head is kept after it was sealed
    const tail = await this.seals.tail(organization);
    if (tail && !tail.seal) throw new SealingFault('The newest event in its stream of seals is no seal.');
    if (tail?.seal) await this.check(organization, tail.seal, kept);
    else if (kept) throw new SealingFault(await this.lossOf(organization, kept));
    else if (this.seals.hasTombstone(organization)) throw new SealingFault('Its stream of seals has a tombstone.');
    return tail;
  }

  /**
   * From where sealing goes on, by the newest seal that is signed whole and stands in this log: the beginning where none
   * does. Seals of the first form do not count, as this was not signed in them.
   */
  async resume(head: Cursor): Promise<Cursor> {
    for await (const seal of this.seals.latest()) {
      const isPast = compareCursors(seal.resume, head) <= 0;
      if (seal.version === undefined || !isPast || !(await this.isSigned(seal.organization, seal))) continue;
      if (await this.seals.isInPlace(seal)) return seal.resume;
    }
    return BEGINNING;
  }

  private async check(organization: string, seal: Seal, kept: SignedHead | null): Promise<void> {
    const head = headOf(seal);
    if (kept && head.revision < kept.revision)
      throw new SealingFault(`Its seals end at place ${head.revision}; places 0 to ${kept.revision} were sealed.`);
    if (kept && (await this.hashAt(organization, head, kept.revision)) !== kept.hash)
      throw new SealingFault(
        `Its seals are others than those that were made: place ${kept.revision} has another hash.`,
      );
    if (!(await this.isSigned(organization, seal)))
      throw new SealingFault('Its newest seal is not signed with a key of this installation.');
    if (!(await this.seals.isWhole(seal))) throw new SealingFault('Its oldest seals are missing.');
    if (seal.version === undefined && !(await this.seals.isInPlace(seal)))
      throw new SealingFault(
        'Its newest seal, whose cursor is not signed, names another place than its last event has.',
      );
  }

  /** All that is signed in a seal; keys that were added since are read when one is missing. */
  private async isSigned(organization: string, seal: Seal): Promise<boolean> {
    const isValid = () => verifySealedHead(organization, sealedHeadOf(seal), this.keys) === 'valid';
    if (seal.organization !== organization) return false;
    if (isValid()) return true;
    this.keys = await this.heads.publicKeys();
    return isValid();
  }

  private async lossOf(organization: string, { revision }: SignedHead): Promise<string> {
    if (await this.seals.hasHistory(organization)) return `Its seals are missing; places 0 to ${revision} were sealed.`;
    return `Its history is missing: EventStoreDB has no event of it, and places 0 to ${revision} were sealed.`;
  }

  private async hashAt(organization: string, head: ChainHead, revision: number): Promise<string | null> {
    if (head.revision === revision) return head.hash;
    const places = await this.seals.places(organization, revision, revision);
    return [...places.values()].find((place) => place.revision === revision)?.hash ?? null;
  }
}
