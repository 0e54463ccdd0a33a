import type { KeyObject } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { RECORD_KINDS } from '@ledgerline/contracts/record-kinds';
import { BEFORE_FIRST } from '@ledgerline/platform/event-store/appended-events';
import type { ChainHead, EventStore, RecordedEvent } from '@ledgerline/platform/event-store/event-store';
import { type PublicKeys, publicKeysOf, verifySealedHead } from '@ledgerline/platform/event-store/head-statement';
import type { StatementChain } from '@ledgerline/platform/event-store/statement-chain';
import { SealingFault, verifyHistory } from '@ledgerline/platform/event-store/verify-chain';
import { headOf, type Seal, sealedHeadOf, type StreamTail } from './seal';
import type { Seals } from './seals';

const MAX_ORGANIZATIONS = 100_000;

type History = Pick<EventStore, 'readBack' | 'readStream' | 'chainHead'>;

/** Compares what seals say with the signed statements: any client may have appended, deleted or hidden seals. */
export class SealChecks {
  /** The seals that were found right: the newest seal of an organization, and the head that it was compared with. */
  private readonly right = new LRUCache<string, string>({ max: MAX_ORGANIZATIONS });
  /** Organizations in whose streams something was deleted or hidden, until their histories were found right. */
  private readonly damaged = new Set<string>();
  private readonly held: PublicKeys;
  /** Organizations that are known to have events. */
  created: ReadonlySet<string> = new Set();

  constructor(
    private readonly seals: Seals,
    key: KeyObject,
    private readonly statements: StatementChain,
    private readonly history: History,
  ) {
    this.held = publicKeysOf(key);
  }

  /** All are read again from now on, also where nothing seems to have changed. */
  forget(): void {
    this.right.clear();
  }

  /** Something that belongs to it was deleted or hidden. */
  suspect(organization: string): void {
    this.damaged.add(organization);
    this.right.delete(organization);
  }

  /** The head that was stated last; undefined for none. @throws LogUnavailable */
  async known(organization: string): Promise<ChainHead | undefined> {
    return this.statements.heads.get(organization) ?? (await this.statements.keptHead(organization)) ?? undefined;
  }

  /**
   * The newest event in an organization's stream of seals.
   * @throws SealingFault unless its seals are whole, signed, and lead on from the head that was stated
   */
  async tail(organization: string): Promise<StreamTail | undefined> {
    const known = await this.known(organization); // before the seals, as a head is stated after it was sealed
    const tail = await this.seals.tail(organization);
    await this.check(organization, tail, known);
    return tail;
  }

  /** Checks the seals in one read where nothing has changed since it was found right. @throws as `tail` */
  async look(organization: string): Promise<void> {
    const known = await this.known(organization);
    const tail = await this.seals.tail(organization);
    const isRight = tail?.seal && this.right.get(organization) === markOf(tail, known);
    if (!isRight) await this.check(organization, tail, known);
  }

  /** @throws SealingFault unless its whole history is what was sealed and stated; what is newer may wait for a seal */
  async assertHistory(organization: string): Promise<void> {
    const known = (await this.known(organization)) ?? BEFORE_FIRST;
    const { firstInvalid } = await verifyHistory(this.history, organization, [known]);
    if (firstInvalid && (firstInvalid.finding !== 'unsealed' || firstInvalid.revision <= known.revision)) {
      const { revision, finding } = firstInvalid;
      throw new SealingFault(`Its history is not what was sealed: place ${revision} is ${finding.replace('_', ' ')}.`);
    }
    this.damaged.delete(organization);
  }

  /** @throws SealingFault where older events of it may have been there: it has neither a seal nor a stated head */
  async assertNew(organization: string, { id, cursor }: RecordedEvent, isOld: boolean): Promise<void> {
    if (isOld || !(await this.seals.isFirst(organization, id)))
      throw new SealingFault(
        `It has events before ${cursor} that neither a seal nor a signed statement names; decide with "npm run audit -- reseal".`,
      );
  }

  private async check(organization: string, tail: StreamTail | undefined, known?: ChainHead): Promise<void> {
    if (tail && !tail.seal) throw new SealingFault('The newest event in its stream of seals is no seal.');
    if (tail?.seal) await this.checkSeal(organization, tail.seal, known ?? BEFORE_FIRST);
    else if (known && known.revision >= 0) throw new SealingFault(await this.lossOf(organization, known));
    else if (this.seals.hasTombstone(organization)) throw new SealingFault('Its stream of seals has a tombstone.');
    else if (this.created.has(organization)) await this.assertBegun(organization);
    if (this.damaged.has(organization)) await this.assertHistory(organization);
    if (tail?.seal) this.right.set(organization, markOf(tail, known));
  }

  private async checkSeal(organization: string, seal: Seal, known: ChainHead): Promise<void> {
    const { revision } = headOf(seal);
    if (revision < known.revision)
      throw new SealingFault(`Its seals end at place ${revision}; places 0 to ${known.revision} were sealed.`);
    await this.assertLeadsOn(organization, known);
    if (!(await this.seals.isWhole(seal))) throw new SealingFault('Its oldest seals are missing.');
    if (seal.version === undefined && !(await this.seals.isInPlace(seal)))
      throw new SealingFault(
        'Its newest seal, whose cursor is not signed, names another place than its last event has.',
      );
  }

  /** From the newest seal down to the stated head: above it the key held must have signed each. */
  private async assertLeadsOn(organization: string, known: ChainHead): Promise<void> {
    let above: Seal | undefined;
    for await (const seal of this.seals.down(organization)) {
      const head = headOf(seal);
      if (above && (head.revision !== above.from - 1 || head.hash !== above.previousHash))
        throw new SealingFault(`Its seals are no chain: none ends at place ${above.from - 1}.`);
      const at = known.revision - seal.from;
      const hash = at < 0 ? seal.previousHash : seal.places[at]?.[1];
      if (at >= -1 && hash !== known.hash) throw replaced(known);
      const keys = head.revision > known.revision ? this.held : await this.statements.publicKeys();
      if (seal.organization !== organization || !isSigned(organization, seal, keys)) throw UNSIGNED();
      if (at >= -1) return;
      above = seal;
    }
    throw new SealingFault('Its oldest seals are missing.');
  }

  private async assertBegun(organization: string): Promise<void> {
    const [first] = await this.history.readStream(RECORD_KINDS.organizations.stream({ id: organization }), {
      limit: 1,
    }); // $ce- is filled later
    if (first || (await this.seals.hasHistory(organization))) return;
    throw new SealingFault('Its history is missing: EventStoreDB has no event of it, and it was created.');
  }

  private async lossOf(organization: string, { revision }: ChainHead): Promise<string> {
    if (await this.seals.hasHistory(organization)) return `Its seals are missing; places 0 to ${revision} were sealed.`;
    return `Its history is missing: EventStoreDB has no event of it, and places 0 to ${revision} were sealed.`;
  }
}

const isSigned = (organization: string, seal: Seal, keys: PublicKeys): boolean =>
  verifySealedHead(organization, sealedHeadOf(seal), keys) === 'valid';

const UNSIGNED = () => new SealingFault('Its newest seal is not signed with a key of this installation.');

const replaced = ({ revision }: ChainHead): SealingFault =>
  new SealingFault(`Its seals are others than those that were made: place ${Math.max(revision, 0)} has another hash.`);

const markOf = ({ revision, seal }: StreamTail, known: ChainHead | undefined): string =>
  JSON.stringify([String(revision), seal?.signature, seal?.contentSignature, known?.revision, known?.hash]);
