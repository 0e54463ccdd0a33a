import { isObject } from '@ledgerline/contracts/json';
import { GENESIS } from './appended-events';
import type { ChainHead } from './event-store';
import { type HeadStatement, statementHash } from './head-statement';
import type { StatementMark } from './statement-memory';
import { SealingFault } from './verify-chain';

/** The newest signed head of an organization. */
export interface KnownHead extends ChainHead {
  readonly keyId: string;
}

/** One walk over statements in order. */
export class StatementWalk {
  lastStatement: HeadStatement | undefined;
  /** True if it came through the mark, so that what is below is what was verified before. */
  hasMark = false;
  /** True if the chain was restarted after the mark was made. */
  isRestarted = false;
  readonly keyIds = new Set<string>();
  /** Number of the newest statement with which an operator has decided that those before it count, or do not. */
  decidedAt: number | undefined;
  count = 0;
  beginsAnew = false;
  sealedTo: string | undefined;
  /** The decisions of operators after the mark. */
  readonly decisions: object[] = [];

  constructor(
    public last: StatementMark | undefined,
    readonly heads: Map<string, KnownHead>,
    private readonly mark: StatementMark | undefined = last,
  ) {}

  /** @throws SealingFault where it does not follow the one before */
  see(statement: HeadStatement): void {
    const { number, heads, restart, keys, keyId, sealedTo } = statement;
    this.assertFollows(statement);
    this.last = markOf(statement);
    this.lastStatement = statement;
    this.noteDecisions(statement);
    if (this.last.hash === this.mark?.hash) this.hasMark = true;
    for (const id of [keyId, ...(keys ?? [])]) this.keyIds.add(id);
    this.sealedTo = sealedTo ?? (restart === undefined ? this.sealedTo : undefined);
    this.count += 1;
    this.beginsAnew ||= restart !== undefined;
    if (restart !== undefined || keys !== undefined) this.decidedAt = number;
    if (restart !== undefined) this.heads.clear();
    for (const { organization, revision, hash } of heads) this.heads.set(organization, { revision, hash, keyId });
  }

  private assertFollows({ number, previous, heads, restart }: HeadStatement): void {
    const { last } = this;
    const isFirst = last === undefined && (restart !== undefined || (number === 0 && previous === GENESIS));
    const follows = last !== undefined && number === last.number + 1 && previous === last.hash;
    if ((isFirst || follows) && isListOfHeads(heads)) return;
    throw new SealingFault(
      `The signed statements are no chain: number ${number} does not follow number ${number - 1}. ${DECIDE}`,
    );
  }

  /** Notes what operators have decided after the mark. */
  private noteDecisions({ number, heads, restart, signedAt }: HeadStatement): void {
    const { mark } = this;
    if (restart !== undefined && (mark === undefined || signedAt > mark.signedAt)) {
      this.isRestarted = true;
      this.decisions.push({ statement: number, signedAt, reason: restart });
    }
    if (!mark || number <= mark.number) return;
    for (const { organization, resealed } of heads)
      if (resealed) this.decisions.push({ statement: number, signedAt, organization });
  }
}

export const DECIDE =
  'Find the cause; then restore the statements, or decide with "npm run audit -- reseal --all --reason TEXT" that the log is signed as it is.';

export const markOf = (statement: HeadStatement): StatementMark => ({
  number: statement.number,
  hash: statementHash(statement),
  signedAt: statement.signedAt,
});

/** Returns whether it is a list of heads: the database may hold anything. */
const isListOfHeads = (heads: unknown): boolean => Array.isArray(heads) && heads.every(isObject);
