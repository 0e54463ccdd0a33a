import {
  type HeadStatement,
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
import type { KeyObject } from 'node:crypto';
import { orUnavailable } from '../database/database-errors';
import type { Queryable } from '../database/pool';
import type { Logger } from '../logging/logger';
import { GENESIS } from './chain-hash';
import type { ChainHead } from './event-store';
import { beginStatements, readPublicKeys, readSealedHead } from './head-signer';
import { type Remembered, StatementMemory, type StatementMark } from './statement-memory';
import { SealingFault } from './verify-chain';

/** The newest signed head of an organization. */
export interface KnownHead extends ChainHead {
  readonly keyId: string;
}

interface StatementChainParts {
  readonly database: Queryable;
  /** Ed25519, private: statements are signed with it. */
  readonly key: KeyObject;
  /** The key that is being replaced by it. */
  readonly formerKey?: KeyObject;
  /** Remembers the newest statement outside the database; none = what the key signed last is taken from there. */
  readonly file?: string | undefined;
  readonly logger?: Pick<Logger, 'warn'> | undefined;
}

/** Of an operator. */
type Decision = Pick<HeadStatement, 'restart' | 'keys'>;

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
  /** Of the keys that signed the statements verified so far. */
  private readonly keyIds = new Set<string>();
  private readonly memory: StatementMemory | undefined;
  /** Whether it begins with an operator's decision. */
  private isRestarted = false;
  private newest: StatementMark | undefined;
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
    const { database, key } = this.parts;
    return orUnavailable('The table of sealed heads', async () => {
      const head = this.isRestarted ? null : await readSealedHead(database, organization);
      if (!head) return null;
      const former = [...(await readPublicKeys(database))].filter(([id]) => this.keyIds.has(id));
      return verifySignedHead(head, new Map([...former, ...publicKeysOf(key)])) === 'valid' ? head : null;
    });
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
  async append(heads: readonly UnsignedHead[], decision: Decision = {}): Promise<boolean> {
    const { database, key } = this.parts;
    const { number, hash: previous } = this.newest ?? BEFORE_FIRST_STATEMENT;
    const draft = { number: number + 1, previous, heads, ...decision };
    const statement = signStatement(key, draft, new Date());
    if (!(await orUnavailable(TABLE, () => insertStatement(database, statement)))) return false;
    const walk = new StatementWalk(this.newest, this.known);
    walk.see(statement);
    this.adopt(walk);
    this.remember();
    return true;
  }

  /** Begins a chain after what the database holds, whatever was signed before. @throws as `readOn` */
  async restart(reason: string): Promise<void> {
    for (let isStored = false; !isStored;) {
      const newest = await orUnavailable(TABLE, () => newestStatement(this.parts.database));
      this.newest = newest && markOf(newest);
      isStored = await this.append([], { restart: reason });
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
      if (formerKey) this.keyIds.add(keyIdOf(formerKey)); // on EventStoreDB it has signed no statement
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
    const { database, key, logger } = this.parts;
    const mark = this.newest ?? this.remembered;
    if (!mark) await beginStatements(database, key);
    const walk = new StatementWalk(undefined, new Map(), mark);
    for (let from = await firstStatement(database); ;) {
      const page = await readStatements(database, from, PAGE);
      for (const statement of page) walk.see(statement);
      if (page.length < PAGE) break;
      from = (walk.last?.number ?? 0) + 1;
    }
    if (!mark && !walk.last)
      throw new SealingFault(`There are events, but no signed statement, nor is one remembered. ${DECIDE}`);
    if (mark && !walk.hasMark && !walk.isRestarted) throw lost(mark, walk.last, this.memory?.file);
    this.authenticate(walk, mark);
    this.report(walk);
    this.adopt(walk);
    this.isRestarted = walk.beginsAnew;
    if (mark || !this.memory || !walk.last || isNew(walk)) return;
    this.unacknowledged = walk.last.number;
    logger?.warn({ reason: this.doubt }, 'no signed statement is remembered; the newest one in the database is taken');
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

  private adopt({ last, heads, keyIds, decidedAt }: StatementWalk): void {
    this.newest = last;
    this.known = heads;
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

/** One walk over statements in order. */
class StatementWalk {
  lastStatement: HeadStatement | undefined;
  /** Whether it came through the mark, so that what is below is what was verified before. */
  hasMark = false;
  /** Whether the chain was restarted after the mark was made. */
  isRestarted = false;
  readonly keyIds = new Set<string>();
  /** Number of the newest statement with which an operator has decided that those before it count, or do not. */
  decidedAt: number | undefined;
  count = 0;
  beginsAnew = false;
  /** Of operators, after the mark. */
  readonly decisions: object[] = [];

  constructor(
    public last: StatementMark | undefined,
    readonly heads: Map<string, KnownHead>,
    private readonly mark: StatementMark | undefined = last,
  ) {}

  /** @throws SealingFault where it does not follow the one before */
  see(statement: HeadStatement): void {
    const { number, previous, heads, restart, keys, keyId, signedAt } = statement;
    const { last, mark } = this;
    const isFirst = last === undefined && (restart !== undefined || (number === 0 && previous === GENESIS));
    const follows = last !== undefined && number === last.number + 1 && previous === last.hash;
    if (!(isFirst || follows) || !isListOfHeads(heads))
      throw new SealingFault(
        `The signed statements are no chain: number ${number} does not follow number ${number - 1}. ${DECIDE}`,
      );
    this.last = markOf(statement);
    this.lastStatement = statement;
    const isNew = mark === undefined || signedAt > mark.signedAt;
    if (this.last.hash === mark?.hash) this.hasMark = true;
    if (restart !== undefined && isNew) this.isRestarted = true;
    this.keyIds.add(keyId);
    this.count += 1;
    this.beginsAnew ||= restart !== undefined;
    if (restart !== undefined || keys !== undefined) this.decidedAt = number;
    if (restart !== undefined) this.heads.clear();
    if (restart !== undefined && isNew) this.decisions.push({ statement: number, signedAt, reason: restart });
    for (const { organization, revision, hash, resealed } of heads) {
      this.heads.set(organization, { revision, hash, keyId });
      if (resealed && mark && number > mark.number) this.decisions.push({ statement: number, signedAt, organization });
    }
  }
}

const DECIDE =
  'Find the cause; then restore the statements, or decide with "npm run audit -- reseal --all --reason TEXT" that the log is signed as it is.';

const markOf = (statement: HeadStatement): StatementMark => ({
  number: statement.number,
  hash: statementHash(statement),
  signedAt: statement.signedAt,
});

/** What stands in the database may be anything. */
const isListOfHeads = (heads: unknown): boolean =>
  Array.isArray(heads) && heads.every((head: unknown) => typeof head === 'object' && head !== null);

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
const isNew = ({ count, last }: StatementWalk): boolean =>
  count === 1 && last !== undefined && Date.now() - Date.parse(last.signedAt) < NEW_MS;
