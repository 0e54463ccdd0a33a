import type { Pool } from 'pg';
import { derivedEventId } from '@ledgerline/contracts/events/event-id';
import type { MonitorDetails } from '@ledgerline/contracts/events/monitor.events';
import type { MonitorChecked } from '@ledgerline/contracts/events/observed-events';
import { RECORD_TABLES } from '@ledgerline/contracts/read-models/registry';
import { type Maintenance, isUnderMaintenance } from '@ledgerline/domain/status-pages/occurrences';
import { run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import type { IntakeSender } from '@ledgerline/platform/intake-log/intake-log';
import type { Cursor } from '@ledgerline/platform/log/log-reader';
import { pause } from '@ledgerline/platform/log/timing';
import type { Logger } from '@ledgerline/platform/logging/logger';
import { OutageLog } from '@ledgerline/platform/logging/outage-log';
import type { GuardOptions } from '@ledgerline/platform/outbound/guarded-fetch';
import type { SealedValues } from '@ledgerline/platform/personal-data/sealed-values';
import { type RegistryTables, findRegistryTables } from '@ledgerline/platform/registry/stored-registry';
import { DueWork } from '../runner/due-work';
import { type CheckResult, checkAddress } from './http-check';
import { OwnNetwork } from './own-network';

interface MonitorChecksParts {
  readonly schedule: Pick<CheckSchedule, 'take' | 'finish' | 'giveBack'>;
  readonly intakeLog: Pick<IntakeSender, 'send'>;
  /** The headers of monitors, by name. */
  readonly headers: Pick<SealedValues<Readonly<Record<string, string>>>, 'open'>;
  readonly guard: GuardOptions;
  readonly logger: Logger;
}

const TICK_MS = 1_000;

/** Checks monitors when they are due, and records each result as an observed event before the next one is due. */
export function monitorChecks(parts: MonitorChecksParts): DueWork<DueCheck> {
  const { schedule, intakeLog, logger } = parts;
  const network = new OwnNetwork();
  return new DueWork({
    take: (max) => schedule.take(max),
    complete: async (check, stopping) => {
      const result = await resultOf(check, parts, stopping);
      const isDoubtful = network.isInDoubt(new URL(check.details.url).host, result.up);
      await intakeLog.send([{ event: eventOf(check, result, isDoubtful), subject: check.id, dedupe: '48h' }]);
      await schedule.finish(check, result.up);
    },
    giveBack: (check) => schedule.giveBack(check),
    wait: (stopping) => pause(TICK_MS, stopping),
    outage: new OutageLog(logger, {
      began: 'monitors cannot be checked; trying again until they can',
      ended: 'monitors are checked again',
    }),
  });
}

async function resultOf(
  { id, details }: DueCheck,
  { headers: values, guard }: Pick<MonitorChecksParts, 'headers' | 'guard'>,
  stopping: AbortSignal,
): Promise<CheckResult> {
  const { organizationId, sealedHeaders: sealed } = details;
  const headers = sealed === null ? {} : (await values.open([{ organizationId, id, sealed }])).get(sealed);
  // just replaced, and the read model is about to follow; or KEY_PEPPER is another one by now
  if (!headers) throw new Error(`The headers of ${id} cannot be decrypted.`);
  return checkAddress({ ...details, headers }, guard, stopping);
}

function eventOf(
  { id, details, dueAt, takenAt, maintenance, resumed }: DueCheck,
  result: CheckResult,
  isDoubtful: boolean,
): MonitorChecked {
  const { organizationId, intervalSeconds } = details;
  const doubt = isDoubtful ? { unconfirmed: true as const } : {};
  return {
    type: 'MonitorChecked',
    id: derivedEventId(id, 'MonitorChecked', String(dueAt)),
    at: takenAt,
    receivedAt: takenAt + result.durationMs,
    data: { organizationId, monitorId: id, dueAt, intervalSeconds, ...result, maintenance, resumed, ...doubt },
  };
}

/** A check that this process has taken; times in epoch ms, by the database's clock. */
export interface DueCheck {
  readonly id: string;
  readonly details: MonitorDetails;
  readonly dueAt: number;
  readonly takenAt: number;
  /** Within a planned maintenance of a status page. */
  readonly maintenance: boolean;
  /** The first one since the monitor was created or resumed. */
  readonly resumed: boolean;
}

const { monitors, organizations, incidents, statusPages } = RECORD_TABLES;
const READ = [monitors, organizations, incidents, statusPages];

/** The time, s, for which a check belongs to its process beyond the time that it may take. */
const LEASE_MARGIN_S = 5;

/**
 * When each monitor is checked: at times that are spread over its interval by its id. A check belongs to one process for a
 * while, by a locked row; if that process dies, another one takes the same check.
 */
export class CheckSchedule {
  /** The registry that the schedule was last compared with. */
  private compared: { readonly layout: string; readonly cursor: Cursor } | undefined;

  constructor(
    private readonly pool: Pool,
    private readonly epoch: () => Promise<string>,
  ) {}

  /** Takes checks that are due, at most so many. @throws an error of the database */
  async take(max: number): Promise<readonly DueCheck[]> {
    const tables = await findRegistryTables(this.pool, READ);
    if (!tables || tables.epoch !== (await this.epoch())) return [];
    await this.compare(tables);
    const rows = await run<Omit<DueCheck, 'maintenance'> & { planned: readonly Maintenance[] }>(
      this.pool,
      sql`update monitor_schedule s
        set claimed_until = now() + make_interval(secs => (m.details->>'timeoutSeconds')::integer + ${LEASE_MARGIN_S})
        from (
          select monitor_id from monitor_schedule
          where due_at <= now() and (claimed_until is null or claimed_until < now())
          order by due_at limit ${max} for update skip locked
        ) due
        join ${tables.table(monitors)} m on m.id = due.monitor_id
        where s.monitor_id = due.monitor_id
        returning m.id, m.details, ${epochMs(sql`s.due_at`)} as "dueAt", ${epochMs(sql`now()`)} as "takenAt",
          ${maintenances(tables)} as planned, s.is_resumed as resumed`,
    );
    return rows.map(({ planned, ...due }) => ({
      ...due,
      maintenance: planned.some((maintenance) => isUnderMaintenance(maintenance, due.takenAt)),
    }));
  }

  /** The check is recorded: the next one is due at the first of the monitor's times from now on, or soon where it has just failed. */
  async finish({ id, dueAt }: DueCheck, up: boolean): Promise<void> {
    await run(
      this.pool,
      sql`update monitor_schedule
        set claimed_until = null, is_resumed = false, is_failing = ${!up},
          due_at = case when ${!up} and not is_failing then least(${NEXT}, ${SOON}) else ${NEXT} end
        where monitor_id = ${id} and due_at = ${new Date(dueAt)}`,
    );
  }

  /** The check was not made: any process may take it at once. */
  async giveBack({ id, dueAt }: DueCheck): Promise<void> {
    await run(
      this.pool,
      sql`update monitor_schedule set claimed_until = null where monitor_id = ${id} and due_at = ${new Date(dueAt)}`,
    );
  }

  /** New and resumed monitors are due at once; those that are paused or deleted are due no more. */
  private async compare({ layout, cursor, table }: RegistryTables): Promise<void> {
    if (this.compared?.layout === layout && this.compared.cursor === cursor) return;
    await run(
      this.pool,
      sql`with wanted as (
          select m.id, (m.details->>'intervalSeconds')::integer as seconds from ${table(monitors)} m
          join ${table(organizations)} o on o.id = m.organization_id and o.deleted_at is null
          where not (m.details->>'paused')::boolean
        ), gone as (
          delete from monitor_schedule s where not exists (select from wanted w where w.id = s.monitor_id)
        )
        insert into monitor_schedule as old (monitor_id, interval_seconds, due_at, is_resumed)
        select id, seconds, date_trunc('milliseconds', now()), true from wanted order by id
        on conflict (monitor_id) do update set interval_seconds = excluded.interval_seconds, due_at = excluded.due_at
        where old.interval_seconds <> excluded.interval_seconds`,
    );
    this.compared = { layout, cursor };
  }
}

/** The maintenances of the monitor `m` that may be under way: those that repeat, or are planned for now. */
const maintenances = ({ table }: RegistryTables) => sql`(
            select coalesce(jsonb_agg(i.details), '[]') from ${table(incidents)} i
            join ${table(statusPages)} p on p.id = i.details->>'statusPageId'
            where i.organization_id = m.organization_id and i.details->>'severity' = 'maintenance'
              and i.details->'monitorIds' ? m.id and i.details->>'resolvedAt' is null
              and (jsonb_typeof(i.details->'repeat') = 'object' or (i.details->>'endsAt')::timestamptz > now())
          )`;

const epochMs = (time: ReturnType<typeof sql>) => sql`floor(extract(epoch from ${time}) * 1000)::float8`;

/** The time of the check that confirms a failure, or does not: long before an interval is over. */
const SOON = sql`date_trunc('milliseconds', now() + interval '30 s')`;

/** The first time after now that is the monitor's share of an interval after a multiple of it. */
const NEXT = sql`to_timestamp((floor((extract(epoch from now()) - mod(abs(hashtext(monitor_id)::bigint), interval_seconds))
    / interval_seconds) + 1) * interval_seconds + mod(abs(hashtext(monitor_id)::bigint), interval_seconds))`;
