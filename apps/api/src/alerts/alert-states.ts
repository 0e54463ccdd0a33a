import { randomUUID } from 'node:crypto';
import type { Pool } from 'pg';
import type { AlertDetails } from '@ledgerline/contracts/events/alert.events';
import type { AlertDecided } from '@ledgerline/contracts/events/observed-events';
import { RECORD_TABLES } from '@ledgerline/contracts/read-models/registry';
import { nextWindow, windowShape } from '@ledgerline/domain/alerts/alert-windows';
import { AT_THE_BEGINNING } from '@ledgerline/domain/alerts/decide-window';
import { type Queryable, run, transaction } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import type { IntakeSender } from '@ledgerline/platform/intake-log/intake-log';
import { type RegistryTables, findRegistryTables } from '@ledgerline/platform/registry/stored-registry';
import { type AlertState, type DecidingAlert, type Decisions, endOfRule } from './decide-alert';

/** Alerts that this process has taken, to decide on them alone for a while. */
export interface TakenAlerts {
  readonly claim: string;
  readonly alerts: readonly DecidingAlert[];
}

/** What was decided on an alert. */
export interface AlertDecisions extends Decisions {
  readonly id: string;
}

const { alerts, organizations, websites } = RECORD_TABLES;
const READ = [alerts, organizations, websites];

const CLAIM = sql`interval '20 s'`;
const MAX_TAKEN = 2_000;
const SENT_AT_ONCE = 200;
/** Minutes in which a tracker was seen are kept for longer than the longest window. */
const MINUTES_KEPT = sql`interval '9 days'`;

type StateRow = AlertState & { readonly id: string };

const STATE = sql`s.alert_id as id, s.revision::float8 as revision, (extract(epoch from s.decided_until) * 1000)::float8 as "decidedUntil",
  s.progress, s.verdict, s.tally`;

/** How far alerts have decided, each by one process at a time; what was decided is stored with it, and sent afterwards. */
export class AlertStates {
  /** The registry that the states were last compared with. */
  private compared: Pick<RegistryTables, 'layout' | 'cursor'> | undefined;

  constructor(
    private readonly pool: Pool,
    private readonly intakeLog: Pick<IntakeSender, 'send'>,
    private readonly epoch: () => Promise<string>,
  ) {}

  /** Takes alerts with windows that are to be decided at a time (epoch ms); none while the registry is of another log. */
  async take(now: number): Promise<TakenAlerts> {
    const claim = randomUUID();
    const tables = await findRegistryTables(this.pool, READ);
    if (!tables || tables.epoch !== (await this.epoch())) return { claim, alerts: [] };
    await this.compare(tables, now);
    const rows = await run<StateRow & { details: AlertDetails; zone: string | null }>(
      this.pool,
      sql`update alert_states s set claim = ${claim}, claimed_until = now() + ${CLAIM}
        from (
          select alert_id from alert_states
          where due_at <= ${new Date(now)} and (claimed_until is null or claimed_until < now())
          order by due_at limit ${MAX_TAKEN} for update skip locked
        ) due join (${RULES(tables)}) r on r.id = due.alert_id and r.runs
        where s.alert_id = due.alert_id and s.revision = r.revision
        returning ${STATE}, r.details, r.zone`,
    );
    return { claim, alerts: rows.map(deciding) };
  }

  /** Stores what was decided, of those that this process still has. */
  async keep(claim: string, decided: readonly AlertDecisions[]): Promise<void> {
    if (decided.length === 0) return;
    const events = decided.flatMap((each) => each.events.map((event) => ({ id: each.id, event })));
    const states = decided.map(({ state }) => state);
    await run(
      this.pool,
      sql`with kept as (
          update alert_states s set claim = null, claimed_until = null, decided_until = d.decided_until,
              progress = d.progress, verdict = d.verdict, tally = d.tally, due_at = d.due_at
            from unnest(${decided.map(({ id }) => id)}::text[], ${times(states.map(({ decidedUntil }) => decidedUntil))}::timestamptz[],
                ${states.map(({ progress }) => JSON.stringify(progress))}::jsonb[],
                ${states.map(({ verdict }) => verdict)}::text[],
                ${states.map(({ tally }) => tally && JSON.stringify(tally))}::jsonb[],
                ${times(decided.map(({ dueAt }) => dueAt))}::timestamptz[])
              as d (id, decided_until, progress, verdict, tally, due_at)
            where s.alert_id = d.id and s.claim = ${claim}
          returning s.alert_id
        )
        insert into alert_outbox (event)
        select e.event from unnest(${events.map(({ id }) => id)}::text[],
            ${events.map(({ event }) => JSON.stringify(event))}::jsonb[]) with ordinality as e (id, event, place)
          join kept on kept.alert_id = e.id
        order by e.place`,
    );
  }

  /** Lets others decide at once. */
  async giveBack({ claim, alerts: taken }: TakenAlerts): Promise<void> {
    if (taken.length === 0) return;
    await run(this.pool, sql`update alert_states set claim = null, claimed_until = null where claim = ${claim}`);
  }

  /** Sends what was decided to the intake log, where its ids keep it from being there twice. */
  async send(): Promise<void> {
    for (;;) {
      const rows = await run<{ number: string; event: AlertDecided }>(
        this.pool,
        sql`select number, event from alert_outbox order by number limit ${SENT_AT_ONCE}`,
      );
      if (rows.length === 0) return;
      await this.intakeLog.send(rows.map(({ event }) => ({ event, subject: event.data.alertId, dedupe: 'forever' })));
      await run(
        this.pool,
        sql`delete from alert_outbox where number = any(${rows.map(({ number }) => number)}::bigint[])`,
      );
    }
  }

  /** Notes the minute where a tracker is there; answers which windows one was seen in, of those since an instant. */
  async readTrackers(now: number, since: number): Promise<(window: { from: number; to: number }) => boolean> {
    const rows = await run<{ minute: number }>(
      this.pool,
      sql`select (extract(epoch from minute) * 1000)::float8 as minute from tracker_minutes
        where minute >= ${new Date(since - MINUTE_MS)} and minute <= ${new Date(now)} order by minute`,
    );
    const minutes = rows.map(({ minute }) => minute);
    return ({ from, to }) => {
      const at = firstFrom(minutes, from);
      return at !== undefined && at < to;
    };
  }

  async noteTracker(): Promise<void> {
    await run(
      this.pool,
      sql`with old as (delete from tracker_minutes where minute < now() - ${MINUTES_KEPT})
        insert into tracker_minutes select date_trunc('minute', now())
        where exists (select from processes where app = 'tracker' and beat_at > now() - ${SEEN_WITHIN}) on conflict do nothing`,
    );
  }

  /** Rules that are new begin with their first window; those that changed end what goes on, and begin anew. */
  private async compare(tables: RegistryTables, now: number): Promise<void> {
    const { layout, cursor } = tables;
    if (this.compared?.layout === layout && this.compared.cursor === cursor) return;
    const changed = await run<Rule & Record<string, unknown>>(
      this.pool,
      sql`select coalesce(r.id, s.alert_id) as id, r.revision, r."madeAt", r.details, r.zone, coalesce(r.runs, false) as runs
        from (${RULES(tables)}) r full join alert_states s on s.alert_id = r.id
        where r.runs and s.revision is distinct from r.revision or s.alert_id is not null and r.runs is not true`,
    );
    for (const rule of changed) await transaction(this.pool, (client) => follow(client, rule, now));
    this.compared = { layout, cursor };
  }
}

/** An alert as the registry has it; null = it is deleted. */
interface Rule {
  readonly id: string;
  readonly revision: number | null;
  /** Epoch ms: its windows are those that end later. */
  readonly madeAt: number | null;
  readonly details: AlertDetails | null;
  readonly zone: string | null;
  readonly runs: boolean;
}

/** `runs`: it is enabled, and what it is about is there. */
const RULES = ({ table }: RegistryTables) => sql`
  select a.id, a.details, w.details->>'timezone' as zone,
    a.revision::float8 as revision, floor(extract(epoch from a.updated_at) * 1000)::float8 as "madeAt",
    (a.details->>'enabled')::boolean and (w.id is not null or a.details->>'websiteId' is null) as runs
  from ${table(alerts)} a
  join ${table(organizations)} o on o.id = a.organization_id and o.deleted_at is null
  left join ${table(websites)} w on w.id = a.details->>'websiteId'`;

async function follow(on: Queryable, rule: Rule, now: number): Promise<void> {
  const { id, revision, madeAt, details, runs, zone } = rule;
  const [state] = await run<StateRow & Record<string, unknown>>(
    on,
    sql`delete from alert_states s where alert_id = ${id} and (${!runs} or revision < ${revision ?? 0}) returning ${STATE}`,
  );
  if (state && details) {
    for (const event of endOfRule({ id, details, state }, madeAt ?? now, now))
      await run(on, sql`insert into alert_outbox (event) values (${JSON.stringify(event)}::jsonb)`);
  }
  if (!runs || madeAt === null || revision === null || !details) return;
  // states that are missing, as of a log that was moved, do not begin with all that has been
  const since = Math.max(madeAt, now - HOUR_MS);
  const dueAt = nextWindow(windowShape(details, zone ?? 'UTC'), since).to + details.graceSeconds * 1_000;
  await run(
    on,
    sql`insert into alert_states (alert_id, revision, decided_until, progress, due_at)
      values (${id}, ${revision}, ${new Date(since)}, ${JSON.stringify(AT_THE_BEGINNING)}::jsonb, ${new Date(dueAt)})
      on conflict (alert_id) do nothing`,
  );
}

const deciding = (row: StateRow & { readonly details: AlertDetails; readonly zone: string | null }): DecidingAlert => {
  const { id, details, zone, ...state } = row;
  return { id, details, shape: windowShape(details, zone ?? 'UTC'), state };
};

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
const SEEN_WITHIN = sql`interval '1 minute'`;

/** Where a list is sorted, its first number from one on. */
function firstFrom(sorted: readonly number[], from: number): number | undefined {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? 0) < from) low = middle + 1;
    else high = middle;
  }
  return sorted[low];
}

const times = (list: readonly number[]): string[] => list.map((at) => new Date(at).toISOString());
