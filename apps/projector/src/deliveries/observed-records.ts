import type { GoalDetails } from '@ledgerline/contracts/events/definition.events';
import type { DestinationDetails } from '@ledgerline/contracts/events/destination.events';
import type { MonitorDetails } from '@ledgerline/contracts/events/monitor.events';
import type { ReportDetails } from '@ledgerline/contracts/events/report.events';
import { RECORD_TABLES } from '@ledgerline/contracts/read-models/registry';
import { plainDestination } from '@ledgerline/domain/destinations/destination.decider';
import { isToldAtOnce } from '@ledgerline/domain/goals/reached-goal';
import { type MessageSubject, isObservedType, isWanted } from '@ledgerline/domain/messages/message';
import { covers } from '@ledgerline/domain/reports/report.decider';
import { type Queryable, run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import { type RegistryTables, findRegistryTables } from '@ledgerline/platform/registry/stored-registry';
import { followDestinations } from './kept-deliveries';
import { OF_ALERTS, type TellingAlert, readTellingAlerts } from './telling-alerts';

const { destinations, goals, links, monitors, organizations, reports } = RECORD_TABLES;
const READ = [...OF_ALERTS, destinations, goals, monitors, organizations, reports];

type Goal = GoalDetails & { readonly id: string };
type Monitor = Pick<MonitorDetails, 'organizationId' | 'name' | 'paused'>;

/** A destination that wants messages of the intake log, or that an alert or report names. */
interface WantingDestination {
  readonly id: string;
  readonly createdAt: Date;
  readonly details: DestinationDetails;
}

/** The records that messages of the intake log are about, of organizations in which a destination wants any. */
export class ObservedRecords {
  private readonly goals = new Map<string, Goal[]>();
  private readonly links = new Map<string, string>();

  constructor(
    readonly destinations: readonly WantingDestination[],
    private readonly monitors: ReadonlyMap<string, Monitor>,
    private readonly alerts: ReadonlyMap<string, TellingAlert>,
    private readonly reports: ReadonlyMap<string, ReportDetails>,
    goalsOfAll: readonly Goal[],
  ) {
    for (const goal of goalsOfAll) {
      const { id: goalId, organizationId, websiteId } = goal;
      if (!isToldAtOnce(goal.condition)) continue;
      if (this.wanting({ type: 'goal.reached', data: { organizationId, websiteId, goalId } }).length === 0) continue;
      this.goals.set(websiteId, [...(this.goals.get(websiteId) ?? []), goal]);
    }
  }

  wanting(message: { readonly type: string; readonly data: MessageSubject }): readonly WantingDestination[] {
    const { type, data } = message;
    return this.destinations.filter(
      ({ details }) => details.organizationId === data.organizationId && isWanted(details, { type, data }),
    );
  }

  goalsOf = (websiteId: string | null): readonly Goal[] => this.goals.get(websiteId ?? '') ?? [];

  alert = (id: string): TellingAlert | undefined => this.alerts.get(id);

  monitor = (id: string): Monitor | undefined => this.monitors.get(id);

  report = (id: string): ReportDetails | undefined => this.reports.get(id);

  /** Those that a report names, as far as they may get it. */
  destinationsOf(report: ReportDetails): readonly WantingDestination[] {
    return this.destinations.filter(({ id, details }) => report.destinationIds.includes(id) && covers(details, report));
  }

  /** What a message about a goal names. */
  goal(goalId: string) {
    const goal = [...this.goals.values()].flat().find(({ id }) => id === goalId);
    return goal && { websiteId: goal.websiteId, goalId, name: goal.name };
  }

  /** What a message about a link names, of those that were {@link addLinks added}. */
  link(linkId: string) {
    const name = this.links.get(linkId);
    return name === undefined ? undefined : { linkId, name };
  }

  async addLinks(on: Queryable, ids: readonly string[]): Promise<void> {
    const unknown = ids.filter((id) => !this.links.has(id));
    const tables = unknown.length > 0 ? await findRegistryTables(on, [links]) : undefined;
    if (!tables) return;
    const rows = await run<{ id: string; name: string }>(
      on,
      sql`select id, name from ${tables.table(links)} where id = any(${unknown}::text[])`,
    );
    for (const { id, name } of rows) this.links.set(id, name);
  }
}

/** Reads the records again after a change of the registry. */
export class ObservedRecordsReader {
  private kept: (Pick<RegistryTables, 'layout' | 'cursor'> & { readonly records: ObservedRecords }) | undefined;

  constructor(private readonly pool: Queryable) {}

  /** Undefined while the registry is of another log than that of the epoch. */
  async read(epoch: string): Promise<ObservedRecords | undefined> {
    const tables = await findRegistryTables(this.pool, READ);
    if (!tables || tables.epoch !== epoch) return undefined;
    const { layout, cursor } = tables;
    if (this.kept?.layout === layout && this.kept.cursor === cursor) return this.kept.records;
    const records = await this.readAll(tables);
    this.kept = { layout, cursor, records };
    return records;
  }

  /** What messages are added to is there before any is made. */
  private async readAll(tables: RegistryTables): Promise<ObservedRecords> {
    const { table } = tables;
    await followDestinations(this.pool, tables);
    const rows = await run<WantingDestination & Record<string, unknown>>(
      this.pool,
      sql`select d.id, d.created_at as "createdAt", d.details from ${table(destinations)} d
        join ${table(organizations)} o on o.id = d.organization_id and o.deleted_at is null`,
    );
    const all = rows.map((row) => ({ ...row, details: { ...plainDestination, ...row.details } }));
    const telling = await readTellingAlerts(this.pool, tables, new Map(all.map(({ id, details }) => [id, details])));
    const reportRows = await run<{ id: string; details: ReportDetails }>(
      this.pool,
      sql`select id, details from ${table(reports)}`,
    );
    const named = new Set(
      [...telling.values(), ...reportRows.map(({ details }) => details)].flatMap((each) => each.destinationIds),
    );
    const wanting = all.filter(({ id, details }) => named.has(id) || details.sends.some(isObservedType));
    const organizationIds = [...new Set(wanting.map(({ details }) => details.organizationId))];
    const of = sql`organization_id = any(${organizationIds}::text[])`;
    const goalRows = await run<{ id: string; details: GoalDetails }>(
      this.pool,
      sql`select id, details from ${table(goals)} where ${of}`,
    );
    const monitorRows = await run<{ id: string; details: Monitor }>(
      this.pool,
      sql`select id, details from ${table(monitors)} where ${of}`,
    );
    return new ObservedRecords(
      wanting,
      new Map(monitorRows.map(({ id, details }) => [id, details])),
      telling,
      new Map(reportRows.map(({ id, details }) => [id, details])),
      goalRows.map(({ id, details }) => ({ ...details, id })),
    );
  }
}
