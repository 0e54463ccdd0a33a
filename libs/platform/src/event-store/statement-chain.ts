import type { KeyObject } from 'node:crypto';
import { orUnavailable } from '../database/database-errors';
import type { Queryable } from '../database/pool';
import { BEGINNING } from '../log/log-reader';
import type { Logger } from '../logging/logger';
import { GENESIS } from './appended-events';
import type { ChainHead } from './event-store';
import {
  type EventStoreReader,
  beginStatements,
  readStoredPublicKeys,
  readSealedHead,
  takeOverSealedHeads,
} from './head-signer';
import {
  type HeadStatement,
  type PublicKeys,
  type UnsignedHead,
  firstStatement,
  insertStatement,
  keyIdOf,
  newestStatement,
  publicKeysOf,
  readStatements,
  signStatement,
  statementHash,
  verifySignature,
  verifySignedHead,
} from './head-statement';
import { type Remembered, StatementMemory, type StatementMark } from './statement-memory';
import { type KnownHead, DECIDE, markOf, StatementWalk } from './statement-walk';
import { SealingFault } from './verify-chain';

interface StatementChainParts {
  readonly database: Queryable;
  /** Ed25519, private: statements are signed with it. */
  readonly key: KeyObject;
  /** The key that is being replaced by it. */
  readonly formerKey?: KeyObject;
  /** Remembers the newest statement outside the database; none = what the key signed last is taken from there. */
  readonly file?: string | undefined;
  readonly logger?: Pick<Logger, 'warn'> | undefined;
  /** None = the events are in the database, too. */
  readonly log?: EventStoreReader | undefined;
}

/** The part of a statement beside heads. */
type Stated = Pick<HeadStatement, 'restart' | 'keys' | 'sealedTo'>;

const TABLE = 'The table of signed statements';
const PAGE = 1_000;
const BEFORE_FIRST_STATEMENT: StatementMark = { number: -1, hash: GENESIS, signedAt: '' };

/** So long after it was signed a chain's only statement is taken for one of a new installation, ms. */
const NEW_MS = 10 * 60_000;

/**
 * The signed statements in the database as far as this process has verified them: a chain that runs through the statement
 * remembered in the file, up to one that is this one or signed with the key. Other keys count only as links of that chain.
 */
export class StatementChain {
  private known = new Map<string, KnownHead>();
  /** The ids of the keys that signed the statements verified so far. */
  private readonly keyIds = new Set<string>();
  private readonly memory: StatementMemory | undefined;
  /** True if it begins with an operator's decision. */
  private isRestarted = false;
  private newest: StatementMark | undefined;
  private sealed: string | undefined;
  private remembered: Remembered | undefined;
  /** The newest statement when this machine began to remember them, until an operator has acknowledged it. */
  private unacknowledged: number | undefined;

  constructor(private readonly parts: StatementChainParts) {
    const { file, key, formerKey } = parts;
    if (file !== undefined) this.memory = new StatementMemory(file, formerKey ? [key, formerKey] : [key]);
  }

  /** The newest signed head of each organization. */
  get heads(): ReadonlyMap<string, KnownHead> {
    return this.known;
  }

  /** See `sealedTo` of a statement; undefined where none has said it. */
  get sealedTo(): string | undefined {
    return this.sealed;
  }

  /** Why an operator has to look at the statements although they are signed on; undefined where there is no reason. */
  get doubt(): string | undefined {
    if (this.unacknowledged === undefined) return undefined;
    return `${this.memory?.file} did not remember the signed statements, so those up to number ${this.unacknowledged} were taken from the database, as the key signed them. On a new machine or disk, run "npm run audit -- acknowledge"; elsewhere, find out what removed or changed the file.`;
  }

  /**
   * The head that a sealer on EventStoreDB has signed before; null where no key of this chain did, or an operator has
   * restarted it since. @throws LogUnavailable
   */
  keptHead(organization: string): Promise<ChainHead | null> {
    return orUnavailable('The table of sealed heads', async () => {
      const head = this.isRestarted ? null : await readSealedHead(this.parts.database, organization);
      return head && verifySignedHead(head, await this.publicKeys()) === 'valid' ? head : null;
    });
  }

  /** The key held, and those that have signed this chain or are vouched for in it. @throws LogUnavailable */
  async publicKeys(): Promise<PublicKeys> {
    const { database, key } = this.parts;
    const known = await orUnavailable('The table of signing keys', () => readStoredPublicKeys(database));
    return new Map([...[...known].filter(([id]) => this.keyIds.has(id)), ...publicKeysOf(key)]);
  }

  /**
   * Verifies what was added since the last time; true where all was read again, as when an operator has restarted the chain.
   * @throws SealingFault where nothing may be signed · LogUnavailable
   */
  async readOn(): Promise<boolean> {
    const isReread = await orUnavailable(TABLE, async () => {
      if (!this.newest) this.recall();
      if (this.newest && (await this.readAfter(this.newest))) return false;
      await this.load();
      return true;
    });
    this.remember();
    return isReread;
  }

  /** Signs heads and stores them as the next statement; false where another process was faster. @throws as `readOn` */
  async append(heads: readonly UnsignedHead[], stated: Stated = {}): Promise<boolean> {
    const { database, key } = this.parts;
    const { number, hash: previous } = this.newest ?? BEFORE_FIRST_STATEMENT;
    const draft = { number: number + 1, previous, heads, ...stated };
    const statement = signStatement(key, draft, new Date());
    if (!(await orUnavailable(TABLE, () => insertStatement(database, statement)))) return false;
    const walk = new StatementWalk(this.newest, this.known);
    walk.see(statement);
    this.adopt(walk);
    this.remember();
    return true;
  }

  /** Begins a chain after what the database holds, whatever was signed before. @throws as `readOn` */
  async restart(reason: string, stated: Stated = {}): Promise<void> {
    for (let isStored = false; !isStored;) {
      const newest = await orUnavailable(TABLE, () => newestStatement(this.parts.database));
      this.newest = newest && markOf(newest);
      isStored = await this.append([], { ...stated, restart: reason });
    }
  }

  /**
   * Has the statements in the database count as they are, also those that other keys have signed, as an operator has
   * decided; answers the number of the newest of them. @throws as `readOn`
   */
  async vouch(): Promise<number> {
    const { key, formerKey } = this.parts;
    const own = keyIdOf(key);
    for (;;) {
      await this.readOn();
      const number = this.newest?.number ?? -1;
      if (formerKey) this.keyIds.add(keyIdOf(formerKey)); // it may have signed seals only
      if (await this.append([], { keys: [...this.keyIds].filter((id) => id !== own).sort() })) return number;
    }
  }

  /** False where all has to be read: the newest statement that was verified is gone, or the chain was restarted. */
  private async readAfter(newest: StatementMark): Promise<boolean> {
    const [first, ...added] = await readStatements(this.parts.database, newest.number, PAGE);
    if (!first || !isMarked(first, newest)) return false;
    if (added.length === 0) return true;
    if (added.some(({ restart }) => restart !== undefined)) return false;
    const walk = new StatementWalk(newest, new Map(this.known));
    for (let page = added; page.length > 0;) {
      for (const statement of page) walk.see(statement);
      page = await readStatements(this.parts.database, (walk.last?.number ?? 0) + 1, PAGE);
    }
    this.authenticate(walk, newest);
    this.report(walk);
    this.adopt(walk);
    return true;
  }

  /** Verifies the whole chain, from the last time that an operator has restarted it. */
  private async load(): Promise<void> {
    const mark = this.newest ?? this.remembered;
    if (!mark) await this.begin();
    const walk = await this.walkThroughAll(mark);
    this.assertLeadsTo(mark, walk);
    this.authenticate(walk, mark);
    this.report(walk);
    this.sealed = undefined;
    this.adopt(walk);
    this.isRestarted = walk.beginsAnew;
    if (mark || !this.memory || !walk.last || isNew(walk)) return;
    this.unacknowledged = walk.last.number;
    this.parts.logger?.warn(
      { reason: this.doubt },
      'no signed statement is remembered; the newest one in the database is taken',
    );
  }

  private async walkThroughAll(mark: StatementMark | undefined): Promise<StatementWalk> {
    const { database } = this.parts;
    const walk = new StatementWalk(undefined, new Map(), mark);
    for (let from = await firstStatement(database); ;) {
      const page = await readStatements(database, from, PAGE);
      for (const statement of page) walk.see(statement);
      if (page.length < PAGE) return walk;
      from = (walk.last?.number ?? 0) + 1;
    }
  }

  /** @throws SealingFault where the statements do not lead to the one that is remembered, or there is neither */
  private assertLeadsTo(mark: StatementMark | undefined, { last, hasMark, isRestarted }: StatementWalk): void {
    if (!mark && !last)
      throw new SealingFault(`There are events, but no signed statement, nor is one remembered. ${DECIDE}`);
    if (mark && !hasMark && !isRestarted) throw lost(mark, last, this.memory?.file);
  }

  private async begin(): Promise<void> {
    const { database, key, formerKey, log } = this.parts;
    await beginStatements(database, key, log);
    if (log && !(await newestStatement(database)))
      await takeOverSealedHeads(database, formerKey ? [key, formerKey] : [key]);
  }

  /** The table of keys does not count: anything that writes to the database can add one. */
  private authenticate({ lastStatement: statement }: StatementWalk, mark: StatementMark | undefined): void {
    const { key, formerKey } = this.parts;
    if (!statement || (mark && isMarked(statement, mark))) return;
    if (verifySignature(statement, publicKeysOf(...(formerKey ? [key, formerKey] : [key]))) === 'valid') return;
    throw new SealingFault(
      `The newest signed statement, number ${statement.number}, names key ${statement.keyId}, which is not that of AUDIT_SIGNING_KEY (${keyIdOf(key)}) or did not sign it. Where the key was replaced, run "npm run audit -- rotate" with the former one. ${DECIDE}`,
    );
  }

  private adopt({ last, heads, keyIds, decidedAt, sealedTo }: StatementWalk): void {
    this.newest = last;
    this.known = heads;
    this.sealed = sealedTo ?? this.sealed;
    for (const keyId of keyIds) this.keyIds.add(keyId);
    if (decidedAt === undefined || decidedAt <= (this.unacknowledged ?? decidedAt)) return;
    this.unacknowledged = undefined;
    this.parts.logger?.warn({ statement: decidedAt }, 'an operator has acknowledged the signed statements');
  }

  private report({ decisions }: StatementWalk): void {
    for (const decision of decisions)
      this.parts.logger?.warn(
        decision,
        'an operator has had hash chains signed as they were, whatever was signed before',
      );
  }

  private recall(): void {
    this.remembered = this.memory?.read();
    this.unacknowledged = this.remembered?.unacknowledged;
  }

  private remember(): void {
    const { newest, remembered, unacknowledged } = this;
    const isKept = newest?.hash === remembered?.hash && unacknowledged === remembered?.unacknowledged;
    if (!newest || isKept) return;
    const next = { ...newest, ...(unacknowledged === undefined ? {} : { unacknowledged }) };
    this.memory?.write(next);
    this.remembered = next;
  }
}

const isMarked = (statement: HeadStatement, { hash }: StatementMark): boolean => statementHash(statement) === hash;

function lost({ number }: StatementMark, last: StatementMark | undefined, file: string | undefined): SealingFault {
  const remembered =
    file === undefined ? `statement number ${number}` : `statement number ${number}, as ${file} remembers`;
  const found =
    last && last.number >= number
      ? 'has another content'
      : `is missing: ${last ? `they end at number ${last.number}` : 'there is none'}`;
  return new SealingFault(
    `The signed statements in the database are not those that were made: ${remembered}, ${found}. ${DECIDE}`,
  );
}

/** The statement with which an installation begins, or an operator's restart, when nothing has followed it yet. */
const isNew = ({ count, last, sealedTo }: StatementWalk): boolean =>
  count === 1 && sealedTo !== BEGINNING && last !== undefined && Date.now() - Date.parse(last.signedAt) < NEW_MS;
