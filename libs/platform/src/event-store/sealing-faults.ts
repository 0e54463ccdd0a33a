import { orUnavailable } from '../database/database-errors';
import { run, type Queryable } from '../database/pool';
import { sql } from '../database/sql';

/** Why the events of one organization are not sealed, in a sentence for operators. */
export class SealingFault extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'SealingFault';
  }
}

/** In place of an organization: the events of none are sealed. No organization can have this id. */
export const ALL_ORGANIZATIONS = '*';

/** Of an organization, or of all; reason null = its events are sealed again. */
export type FaultListener = (organization: string, reason: string | null) => void;

/** The organizations whose events are not sealed at the moment: in Postgres, where health reports and metrics read them. */
export class SealingFaults {
  private readonly reasons = new Map<string, string>();
  /** The table could not be reached. */
  private readonly unwritten = new Set<string>();

  constructor(
    private readonly database?: Queryable,
    private readonly onChange: FaultListener = () => undefined,
  ) {}

  get organizations(): readonly string[] {
    return [...this.reasons.keys()].filter((organization) => organization !== ALL_ORGANIZATIONS);
  }

  /** Adds those that another process has found. @throws LogUnavailable, as all others do */
  async load(): Promise<void> {
    const { database } = this;
    const rows = database ? await orUnavailable(TABLE, () => readSealingFaults(database)) : [];
    for (const { organization, reason } of rows) this.reasons.set(organization, reason);
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
