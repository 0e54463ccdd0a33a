import { orUnavailable } from '../database/database-errors';
import { type Queryable, run } from '../database/pool';
import { sql } from '../database/sql';
import { BEFORE_FIRST, type ChainLink } from './appended-events';
import { ChainWalk, type ChainWalkVerdict } from './chain-walk';
import { type ChainHead, type EventStore, type HistoryEntry, type SealedHead, historyEntries } from './event-store';
import { type PublicKeys, verifySealedHead } from './head-statement';

export interface ChainVerdict extends ChainWalkVerdict {
  /** The newest sealed place; null for an organization without history. */
  readonly head: SealedHead | null;
  /** Only where keys were given. `none` = nothing is sealed, or signatures are kept elsewhere, as on Postgres. */
  readonly signature?: 'valid' | 'invalid' | 'none';
}

interface Options {
  /** Heads kept elsewhere, signed ones for example; the chain must run through each of them. */
  readonly heads?: readonly ChainHead[];
  /** The Ed25519 public keys that heads may be signed with. */
  readonly signedBy?: PublicKeys;
  readonly pageSize?: number;
}

const PAGE = 500;

type History = Pick<EventStore, 'readBack' | 'chainHead'>;

/**
 * Reads an organization's history newest first, in pages, and proves that it is what was recorded: every event hashes
 * to its place's hash, every place follows the one before, from the head down to the first.
 */
export async function verifyChain(
  store: History,
  organization: string,
  { heads = [], signedBy, pageSize = PAGE }: Options = {},
): Promise<ChainVerdict> {
  const head = await store.chainHead(organization);
  const sealedSoFar = head ?? BEFORE_FIRST; // what is sealed from now on counts as unsealed
  const walked = await verifyHistory(store, organization, [...heads, sealedSoFar], { pageSize });
  const { firstInvalidAt: _, ...found } = walked;
  const verdict = { ...found, head };
  if (!signedBy) return verdict;
  const signature = checkSignature(organization, head, signedBy);
  return { ...verdict, valid: verdict.valid && signature !== 'invalid', signature };
}

/** The proof over a history in a store that runs through these heads; what is recorded meanwhile lies above them. */
export const verifyHistory = (
  store: History,
  organization: string,
  heads: readonly ChainHead[],
  { pageSize = PAGE, onPage, overdueBefore }: WalkOptions = {},
): Promise<ChainWalkVerdict> => {
  const entries = historyEntries(store, organization, pageSize, onPage);
  const links = overdueBefore ? withOverdue(entries, overdueBefore) : entries;
  return verifyLinks(links, heads, () => store.chainHead(organization));
};

interface WalkOptions {
  readonly pageSize?: number;
  readonly onPage?: (entries: number) => void;
  /** Events recorded before this time may not lie above the newest head. */
  readonly overdueBefore?: Date | undefined;
}

async function* withOverdue(entries: AsyncIterable<HistoryEntry>, before: Date): AsyncGenerator<HistoryEntry, void> {
  for await (const entry of entries) yield entry.recordedAt < before ? { ...entry, doubt: 'overdue' } : entry;
}

/**
 * Verifies links from anywhere, newest first: an export for example, in which events may be left out. The
 * chain must run through each of the heads and end in the newest of them; their signatures are not looked at. Where the
 * links come from a store, `latest` reads its head once they are read: what was recorded meanwhile lies above the heads.
 */
export async function verifyLinks(
  links: AsyncIterable<ChainLink> | Iterable<ChainLink>,
  heads: readonly ChainHead[],
  latest?: () => Promise<ChainHead | null>,
): Promise<ChainWalkVerdict> {
  const walk = new ChainWalk(heads);
  for await (const link of links) walk.see(link);
  return walk.verdict((await latest?.()) ?? undefined);
}

function checkSignature(organization: string, head: SealedHead | null, keys: PublicKeys): 'valid' | 'invalid' | 'none' {
  if (head?.signature === undefined) return 'none';
  return verifySealedHead(organization, head, keys) === 'valid' ? 'valid' : 'invalid';
}

/** Why the events of one organization are not sealed, in a sentence for operators. */
export class SealingFault extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'SealingFault';
  }
}

/** In place of an organization: the events of none are sealed. No organization can have this id. */
export const ALL_ORGANIZATIONS = '*';

/** In place of an organization: events are sealed, but what was sealed before has to be acknowledged by an operator. */
export const UNACKNOWLEDGED = '*unacknowledged';

/** Hears of faults of an organization, or of all; reason null = its events are sealed again. */
export type FaultListener = (organization: string, reason: string | null) => void;

/** The organizations whose events are not sealed at the moment, and why; also in Postgres, for health reports and metrics. */
export class SealingFaults {
  private readonly reasons = new Map<string, string>();
  /** ISO 8601 UTC, of those that this process has found. */
  private readonly since = new Map<string, string>();
  /** The table could not be reached. */
  private readonly unwritten = new Set<string>();

  constructor(
    private readonly database?: Queryable,
    private readonly onChange: FaultListener = () => undefined,
  ) {}

  get organizations(): readonly string[] {
    return [...this.reasons.keys()].filter((organization) => !organization.startsWith(ALL_ORGANIZATIONS));
  }

  /** As this process knows them, whatever the table holds. */
  get rows(): readonly FaultRow[] {
    return [...this.reasons].map(([organization, reason]) => ({
      organization,
      reason,
      since: this.since.get(organization) ?? new Date().toISOString(),
    }));
  }

  /** Adds those that another process has found. @throws LogUnavailable, as all others do */
  async load(): Promise<void> {
    const { database } = this;
    const rows = database ? await orUnavailable(TABLE, () => readSealingFaults(database)) : [];
    for (const { organization, reason } of rows)
      if (organization !== UNACKNOWLEDGED) this.reasons.set(organization, reason); // each process has its own file
  }

  has(organization: string): boolean {
    return this.reasons.has(organization) && !this.unwritten.has(organization);
  }

  /** Announced at once, also while it cannot be written. */
  async add(organization: string, reason: string): Promise<void> {
    const isNew = this.reasons.get(organization) !== reason;
    this.unwritten.add(organization);
    if (isNew) this.onChange(organization, reason);
    this.reasons.set(organization, reason);
    if (!this.since.has(organization)) this.since.set(organization, new Date().toISOString());
    // also a known one: another process may have removed it, or found another reason
    await this.write(sql`
      insert into sealing_faults as known (organization, reason) values (${organization}, ${reason})
      on conflict (organization) do update set reason = excluded.reason where known.reason <> excluded.reason`);
    this.unwritten.delete(organization);
  }

  /** If there was one. */
  async remove(organization: string): Promise<void> {
    if (!this.reasons.has(organization)) return;
    await this.write(sql`delete from sealing_faults where organization = ${organization}`);
    this.unwritten.delete(organization);
    this.reasons.delete(organization);
    this.since.delete(organization);
    this.onChange(organization, null);
  }

  private async write(statement: ReturnType<typeof sql>): Promise<void> {
    const { database } = this;
    if (database) await orUnavailable(TABLE, () => run(database, statement));
  }
}

const TABLE = 'The table of sealing faults';

export interface FaultRow {
  readonly organization: string;
  readonly reason: string;
  /** ISO 8601 UTC. */
  readonly since: string;
}

/** Why the events of an organization are not sealed; undefined where they are. */
export async function readSealingFault(database: Queryable, organization: string): Promise<string | undefined> {
  const [row] = await run<FaultRow>(database, sql`select * from sealing_faults where organization = ${organization}`);
  return row?.reason;
}

/** The oldest first. */
export const readSealingFaults = (database: Queryable, limit: number | null = null): Promise<FaultRow[]> =>
  run<FaultRow>(
    database,
    sql`select organization, reason, to_char(since at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as since
        from sealing_faults order by sealing_faults.since, organization limit ${limit}`,
  );

export async function countSealingFaults(database: Queryable): Promise<number> {
  const [row] = await run<{ count: number }>(database, sql`select count(*)::float8 as count from sealing_faults`);
  return row?.count ?? 0;
}
