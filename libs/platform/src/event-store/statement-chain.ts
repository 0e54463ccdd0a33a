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
} from './head-statement';
import { mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { KeyObject } from 'node:crypto';
import { writePrivately } from '../config/private-file';
import { orUnavailable } from '../database/database-errors';
import type { Queryable } from '../database/pool';
import type { Logger } from '../logging/logger';
import { GENESIS } from './chain-hash';
import type { ChainHead, Hash } from './event-store';
import { beginStatements, readPublicKeys } from './head-signer';
import { SealingFault } from './verify-chain';

/** In the data directory of each process that signs. */
export const statementFile = (dataDir: string): string => join(dataDir, 'signed-heads.json');

/** What is kept of a statement outside the database. */
interface StatementMark extends Pick<HeadStatement, 'number' | 'signedAt'> {
  readonly hash: Hash;
}

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
  /** Remembers the newest statement outside the database; none = what the database holds is trusted if the key signed it. */
  readonly file?: string | undefined;
  readonly logger?: Pick<Logger, 'warn'> | undefined;
}

/** Of an operator. */
type Decision = Pick<HeadStatement, 'restart' | 'keys'>;

const TABLE = 'The table of signed statements';
const PAGE = 1_000;
const BEFORE_FIRST_STATEMENT: StatementMark = { number: -1, hash: GENESIS, signedAt: '' };

/**
 * The signed statements in the database as far as this process has verified them: a chain that runs through the statement
 * remembered in the file, up to one that is this one or signed with a key that is trusted without the database.
 */
export class StatementChain {
  private known = new Map<string, KnownHead>();
  /** Of the keys that signed the statements verified so far. */
  private readonly keyIds = new Set<string>();
  private newest: StatementMark | undefined;
  private remembered: StatementMark | undefined;

  constructor(private readonly parts: StatementChainParts) {}

  /** The newest signed head of each organization. */
  get heads(): ReadonlyMap<string, KnownHead> {
    return this.known;
  }

  /**
   * Verifies what was added since the last time; true where all was read again, as when an operator has restarted the chain.
   * @throws SealingFault where nothing may be signed · LogUnavailable
   */
  async readOn(): Promise<boolean> {
    const isReread = await orUnavailable(TABLE, async () => {
      this.remembered ??= readMark(this.parts.file);
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
   * Has what other keys have signed in the chain count as signed by this one, the former key's included, as an operator
   * has decided. @throws as `readOn`
   */
  async vouch(): Promise<void> {
    for (let isStored = false; !isStored;) {
      await this.readOn();
      const own = keyIdOf(this.parts.key);
      isStored = await this.append([], { keys: [...this.keyIds].filter((id) => id !== own).sort() });
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
    await this.authenticate(walk, newest);
    this.report(walk);
    this.adopt(walk);
    return true;
  }

  /** Verifies the whole chain, from the last time that an operator has restarted it. */
  private async load(): Promise<void> {
    const { database, file = '', logger } = this.parts;
    const remembered = this.newest ?? this.remembered;
    if (!remembered) await beginStatements(database, this.parts.key);
    const walk = new StatementWalk(undefined, new Map(), remembered);
    for (let from = await firstStatement(database); ;) {
      const page = await readStatements(database, from, PAGE);
      for (const statement of page) walk.see(statement);
      if (page.length < PAGE) break;
      from = (walk.last?.number ?? 0) + 1;
    }
    if (remembered && !walk.hasMark && !walk.isRestarted) throw lost(remembered, walk.last, file);
    await this.authenticate(walk, remembered);
    if (!remembered && walk.last && file)
      logger?.warn(
        { file, statement: walk.last.number },
        'no signed statement is remembered outside the database; the newest one there is taken',
      );
    this.report(walk);
    this.adopt(walk);
  }

  /** The keys in the database do not suffice: anything that writes there can add one. */
  private async authenticate(walk: StatementWalk, mark: StatementMark | undefined): Promise<void> {
    const { database, key, formerKey, file = 'a file' } = this.parts;
    const { lastStatement: statement } = walk;
    if (!statement || (mark && isMarked(statement, mark))) return;
    const isProven = (id: string) => this.keyIds.has(id) || (walk.hasMark && walk.keyIdsToMark.has(id));
    const proven = [...(await readPublicKeys(database))].filter(([id]) => isProven(id));
    const trusted: PublicKeys = new Map([...proven, ...publicKeysOf(key, ...(formerKey ? [formerKey] : []))]);
    if (verifySignature(statement, trusted) === 'valid') return;
    throw new SealingFault(
      `The newest signed statement, number ${statement.number}, names key ${statement.keyId}, which is neither that of AUDIT_SIGNING_KEY (${keyIdOf(key)}) nor one that ${file} vouches for, or did not sign it. ${DECIDE}`,
    );
  }

  private adopt({ last, heads, keyIds }: StatementWalk): void {
    this.newest = last;
    this.known = heads;
    for (const keyId of keyIds) this.keyIds.add(keyId);
  }

  private report({ decisions }: StatementWalk): void {
    for (const decision of decisions)
      this.parts.logger?.warn(
        decision,
        'an operator has had hash chains signed as they were, whatever was signed before',
      );
  }

  private remember(): void {
    const { newest, remembered, parts } = this;
    if (parts.file === undefined || !newest || newest.hash === remembered?.hash) return;
    try {
      mkdirSync(dirname(parts.file), { recursive: true, mode: 0o700 });
      writePrivately(parts.file, newest);
    } catch (error) {
      throw new SealingFault(
        `The newest signed statement cannot be remembered in ${parts.file} (${codeOf(error)}), so no more are signed; make room there, or set DATA_DIR to a directory that can be written.`,
      );
    }
    this.remembered = newest;
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
  /** Of the keys that signed a statement up to the mark. */
  readonly keyIdsToMark = new Set<string>();
  /** Of operators, after the mark. */
  readonly decisions: object[] = [];

  constructor(
    public last: StatementMark | undefined,
    readonly heads: Map<string, KnownHead>,
    private readonly mark: StatementMark | undefined = last,
  ) {}

  /** @throws SealingFault where it does not follow the one before */
  see(statement: HeadStatement): void {
    const { number, previous, heads, restart, keyId, signedAt } = statement;
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
    if (mark && number <= mark.number) this.keyIdsToMark.add(keyId);
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

function lost({ number }: StatementMark, last: StatementMark | undefined, file: string): SealingFault {
  const remembered = file === '' ? `statement number ${number}` : `statement number ${number}, as ${file} remembers`;
  const found =
    last && last.number >= number
      ? 'has another content'
      : `is missing: ${last ? `they end at number ${last.number}` : 'there is none'}`;
  return new SealingFault(
    `The signed statements in the database are not those that were made: ${remembered}, ${found}. ${DECIDE}`,
  );
}

/** Undefined where there is no file. @throws SealingFault where it cannot be read */
function readMark(file: string | undefined): StatementMark | undefined {
  if (file === undefined) return undefined;
  try {
    const { number, hash, signedAt } = JSON.parse(readFileSync(file, 'utf8')) as Partial<StatementMark>;
    if (number !== undefined && hash !== undefined && signedAt !== undefined) return { number, hash, signedAt };
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw new SealingFault(`${file}, which remembers the newest signed statement, cannot be read (${codeOf(error)}).`);
  }
  throw new SealingFault(`${file}, which remembers the newest signed statement, is damaged.`);
}

const codeOf = (error: unknown): string =>
  error instanceof Error ? ((error as NodeJS.ErrnoException).code ?? error.message) : String(error);
