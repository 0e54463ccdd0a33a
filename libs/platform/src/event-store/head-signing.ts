import { orUnavailable } from '../database/database-errors';
import { run, type Queryable } from '../database/pool';
import { sql } from '../database/sql';
import { Backoff, pause } from '../log/timing';
import type { Logger } from '../logging/logger';
import { OutageLog } from '../logging/outage-log';
import { BEFORE_FIRST, isConsistent, type SealedLink } from './appended-events';
import { type ChainHead, type EventStore, historyEntries } from './event-store';
import type { UnsignedHead } from './head-statement';
import type { StatementChain } from './statement-chain';
import { ALL_ORGANIZATIONS, SealingFault, type SealingFaults, UNACKNOWLEDGED } from './verify-chain';

interface HeadSigningParts {
  /** The event store on Postgres. */
  readonly store: Pick<EventStore, 'readBack' | 'chainHead' | 'waitForMore'>;
  readonly database: Queryable;
  readonly statements: StatementChain;
  readonly faults: SealingFaults;
  /** The id of the key that signs. */
  readonly keyId: string;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
  /** From one round to the next, ms; half a second by default. */
  readonly paceMs?: number;
  /** Signs nothing: finds what is wrong, and how long what is right has not been signed. */
  readonly isWatch?: boolean;
  /** ms, from any beginning. */
  readonly now?: () => number;
}

const PACE_MS = 500;
/** So often all heads are compared with what was signed, and what was refused is retried, ms. */
const SWEEP_MS = 5_000;
const RETRY_MS = 2_000;
const MAX_HEADS = 500;

/**
 * Signs the heads of the hash chains in Postgres soon after they have grown, all of one round in one statement. A chain
 * that does not extend what was signed is not signed; the others are. Any number of processes may do so.
 */
export class HeadSigning {
  private readonly stopping = new AbortController();
  private running: Promise<void> | undefined;
  /** Events up to here were looked at. */
  private position: number | undefined;
  private readonly pending = new Set<string>();
  /** The organizations that a comparison of all heads has come to; undefined between two of them. */
  private swept: Set<string> | undefined;
  private sweepAt = 0;
  private retryAt = 0;
  /** The heads that are right and were not signed when they were seen first; of a watch. */
  private readonly unsigned = new Map<string, { readonly revision: number; readonly seenAt: number }>();

  constructor(private readonly parts: HeadSigningParts) {}

  start(): void {
    this.running ??= this.loop();
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  /** The organizations with an event that was seen so long ago and is not signed yet, by the clock of this process. */
  unsignedFor(ms: number): string[] {
    const before = this.now() - ms;
    const { heads } = this.parts.statements;
    return [...this.unsigned]
      .filter(([id, { revision, seenAt }]) => seenAt <= before && (heads.get(id)?.revision ?? -1) < revision)
      .map(([organization]) => organization);
  }

  /** Signs what has grown, if it extends what was signed. @throws LogUnavailable */
  async sign(): Promise<void> {
    if (!(await this.statementsHold())) return;
    await this.retryRefused();
    await this.addGrown();
    await this.sweep();
    const organizations = [...this.pending].slice(0, MAX_HEADS);
    const heads: UnsignedHead[] = [];
    for (const organization of organizations) {
      const head = await this.nextHead(organization);
      if (head) heads.push(head);
      if (this.parts.isWatch) this.note(organization, head);
    }
    if (heads.length > 0 && !this.parts.isWatch && !(await this.append(heads))) return; // the other process may have signed less
    for (const organization of organizations) this.pending.delete(organization);
  }

  private now(): number {
    return this.parts.now?.() ?? performance.now();
  }

  private note(organization: string, head: UnsignedHead | undefined): void {
    const signed = this.parts.statements.heads.get(organization)?.revision ?? -1;
    const seen = this.unsigned.get(organization);
    if (!head && !this.parts.faults.has(organization)) this.unsigned.delete(organization);
    else if (head && (!seen || seen.revision <= signed))
      this.unsigned.set(organization, { revision: head.revision, seenAt: this.now() });
  }

  private async loop(): Promise<void> {
    const { logger, isWatch = false, paceMs = PACE_MS } = this.parts;
    const { signal } = this.stopping;
    const backoff = new Backoff(signal);
    const outage = new OutageLog(logger, {
      began: `the heads of the hash chains cannot be ${isWatch ? 'verified' : 'signed'}; it is retried`,
      ended: `the heads of the hash chains are ${isWatch ? 'verified' : 'signed'} again`,
    });
    while (!signal.aborted) {
      const nextAt = performance.now() + paceMs;
      try {
        await this.sign();
        outage.succeeded();
        backoff.reset();
        if (this.parts.faults.has(ALL_ORGANIZATIONS)) await pause(RETRY_MS, signal); // all statements are read for that
        else if (this.pending.size === 0 && this.swept === undefined) await this.untilGrown();
      } catch (error) {
        if (!this.stopping.signal.aborted) outage.failed(error);
        await backoff.pause();
      }
      await pause(Math.max(nextAt - performance.now(), 0), signal);
    }
  }

  private async untilGrown(): Promise<void> {
    const { position = 0 } = this;
    const timeoutMs = this.parts.faults.organizations.length > 0 ? RETRY_MS : SWEEP_MS;
    await this.parts.store.waitForMore(0, position === 0 ? '' : String(position), {
      timeoutMs,
      signal: this.stopping.signal,
    });
  }

  /** Returns whether what was signed is still there and may be continued. */
  private async statementsHold(): Promise<boolean> {
    const { statements, faults } = this.parts;
    return this.isolated(ALL_ORGANIZATIONS, async () => {
      if (await statements.readOn()) this.sweepAt = 0;
      if (faults.has(ALL_ORGANIZATIONS)) await faults.remove(ALL_ORGANIZATIONS);
    });
  }

  private async append(heads: readonly UnsignedHead[]): Promise<boolean> {
    let isStored = false;
    await this.isolated(ALL_ORGANIZATIONS, async () => {
      isStored = await this.parts.statements.append(heads);
    });
    return isStored;
  }

  /** The head to sign; undefined where it is signed already, or does not extend what was. */
  private async nextHead(organization: string): Promise<UnsignedHead | undefined> {
    const head = await this.continuedHead(organization);
    if (!head || head.revision < 0) return undefined;
    const known = this.parts.statements.heads.get(organization);
    const isSigned = known && isSame(known, { ...head, keyId: this.parts.keyId });
    return isSigned ? undefined : { organization, revision: head.revision, hash: head.hash };
  }

  /** The head of a chain that extends what was signed; undefined where it does not. */
  private async continuedHead(organization: string): Promise<ChainHead | undefined> {
    const { store, statements, faults } = this.parts;
    const { signal } = this.stopping;
    let head: ChainHead = BEFORE_FIRST;
    const holds = await this.isolated(organization, async () => {
      const known = statements.heads.get(organization);
      const signed = known ?? (await statements.keptHead(organization)) ?? BEFORE_FIRST;
      head = (await store.chainHead(organization)) ?? BEFORE_FIRST;
      await checkContinues(store, organization, { signed, head, signal });
      if (faults.has(organization)) await faults.remove(organization);
    });
    return holds ? head : undefined;
  }

  private async addGrown(): Promise<void> {
    const since = this.position;
    const [log] = await this.select<{ position: string; organizations: string[] | null }>(sql`
      select position, (select array_agg(distinct organization) from events
        where events.position > ${since ?? null}::bigint and events.position <= head.position) as organizations
      from event_store_head head`);
    const position = Number(log?.position ?? 0);
    if (since === undefined || position < since) this.sweepAt = 0; // the first round, or the log went back
    for (const organization of log?.organizations ?? []) this.add(organization);
    this.position = position;
  }

  /** Adds an organization; one that was refused is looked at by `retryRefused` alone. */
  private add(organization: string): void {
    if (!this.parts.faults.has(organization)) this.pending.add(organization);
  }

  /** Takes at most a tenth of the time, as a long history may be refused only at its end. */
  private async retryRefused(): Promise<void> {
    const { faults } = this.parts;
    const begunAt = performance.now();
    if (begunAt < this.retryAt) return;
    const { doubt } = this.parts.statements;
    await (doubt === undefined ? faults.remove(UNACKNOWLEDGED) : faults.add(UNACKNOWLEDGED, doubt));
    await faults.load();
    for (const organization of faults.organizations) if (await this.continuedHead(organization)) this.add(organization);
    this.retryAt = performance.now() + Math.max(RETRY_MS, 10 * (performance.now() - begunAt));
  }

  /** One page of all heads at a time, so that what grows is not kept waiting. */
  private async sweep(): Promise<void> {
    if (!this.swept && performance.now() < this.sweepAt) return;
    this.swept ??= new Set();
    const { heads } = this.parts.statements;
    const { keyId } = this.parts;
    const last = [...this.swept].at(-1) ?? '';
    const page = await this.select<{ organization: string; revision: number; hash: string }>(sql`
      select organization, revision::float8, encode(hash, 'hex') as hash from organization_chains
      where organization > ${last} and revision >= 0 order by organization limit ${MAX_HEADS}`);
    for (const { organization, ...head } of page) {
      this.swept.add(organization);
      const known = heads.get(organization);
      if (!known || !isSame(known, { ...head, keyId })) this.add(organization);
    }
    if (page.length === MAX_HEADS) return;
    for (const organization of heads.keys()) if (!this.swept.has(organization)) this.add(organization);
    this.swept = undefined;
    this.sweepAt = performance.now() + SWEEP_MS;
  }

  private select<Row extends object>(query: ReturnType<typeof sql>): Promise<Row[]> {
    return orUnavailable('The event store', () => run<Row>(this.parts.database, query));
  }

  /** False where it is refused, which is kept as the reason for this organization. */
  private async isolated(organization: string, work: () => Promise<void>): Promise<boolean> {
    try {
      await work();
      return true;
    } catch (error) {
      if (!(error instanceof SealingFault)) throw error;
      await this.parts.faults.add(organization, error.message);
      return false;
    }
  }
}

const isSame = (one: ChainHead & { keyId: string }, other: ChainHead & { keyId: string }): boolean =>
  one.revision === other.revision && one.hash === other.hash && one.keyId === other.keyId;

const MAX_PAGE = 500;

/**
 * Recomputes the hashes of an organization's events from its head down to the head that was signed last.
 * @throws SealingFault unless the history extends what was signed
 */
async function checkContinues(
  store: Pick<EventStore, 'readBack'>,
  organization: string,
  { signed, head, signal }: { signed: ChainHead; head: ChainHead; signal: AbortSignal },
): Promise<void> {
  if (head.revision < signed.revision)
    throw new SealingFault(`Its history ends ${endOf(head)}; places 0 to ${signed.revision} were signed.`);
  let expected = head;
  const pageSize = Math.min(head.revision - signed.revision + 2, MAX_PAGE);
  for await (const entry of historyEntries(store, organization, pageSize)) {
    signal.throwIfAborted();
    const { chain } = entry;
    if (!chain || chain.revision > head.revision) continue; // recorded meanwhile
    assertPlace({ ...entry, chain }, expected);
    if (chain.revision === signed.revision && chain.hash !== signed.hash) throw rewritten(signed);
    expected = { revision: chain.revision - 1, hash: chain.previousHash };
    if (expected.revision < signed.revision) break;
  }
  if (expected.revision >= Math.max(signed.revision, 0)) throw missing(expected);
  if (signed.revision < 0 && expected.hash !== signed.hash) throw rewritten({ revision: 0 });
}

function assertPlace(link: SealedLink, expected: ChainHead): void {
  const { revision, hash } = link.chain;
  if (revision !== expected.revision) throw missing(expected);
  if (hash !== expected.hash || !isConsistent(link))
    throw new SealingFault(`Place ${revision} of its history is not what its hash says.`);
}

const endOf = ({ revision }: ChainHead): string => (revision < 0 ? 'before the first place' : `at place ${revision}`);

const missing = ({ revision }: ChainHead): SealingFault =>
  new SealingFault(`Place ${revision} of its history is missing.`);

const rewritten = ({ revision }: Pick<ChainHead, 'revision'>): SealingFault =>
  new SealingFault(`Its history is another one than was signed: place ${revision} has another hash.`);
