import type { AlertDetails } from '@ledgerline/contracts/events/alert.events';
import type { DestinationDetails } from '@ledgerline/contracts/events/destination.events';
import { RECORD_TABLES } from '@ledgerline/contracts/read-models/registry';
import type { Member, StoredRecords } from '@ledgerline/contracts/records';
import { reachOf, whyNotSent } from '@ledgerline/domain/alerts/alert-rights';
import { alertSentence } from '@ledgerline/domain/alerts/alert-sentence';
import { withDetails } from '@ledgerline/domain/registry/record-changes';
import { type Queryable, run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import { type RegistryTables, recordFieldsSql } from '@ledgerline/platform/registry/stored-registry';

const { alerts, apiKeys, goals, members, organizations, segments } = RECORD_TABLES;

/** The tables that it takes to know where alerts are told. */
export const OF_ALERTS = [alerts, apiKeys, goals, members, organizations, segments];

/** An alert with the destinations that it is told to now, and its rule as a sentence. */
export interface TellingAlert {
  readonly name: string;
  readonly sentence: string;
  readonly destinationIds: readonly string[];
}

interface AlertRow {
  readonly id: string;
  readonly details: AlertDetails;
  readonly goal: string | null;
  readonly segment: string | null;
}

/** Returns the alerts by id, each with those of its destinations that whoever made it may still send to. */
export async function readTellingAlerts(
  on: Queryable,
  tables: RegistryTables,
  destinations: ReadonlyMap<string, DestinationDetails>,
): Promise<ReadonlyMap<string, TellingAlert>> {
  const { table } = tables;
  const rows = await run<AlertRow & Record<string, unknown>>(
    on,
    sql`select a.id, a.details, g.details->>'name' as goal, s.details->>'name' as segment from ${table(alerts)} a
      join ${table(organizations)} o on o.id = a.organization_id and o.deleted_at is null
      left join ${table(goals)} g on g.id = a.details->>'goalId'
      left join ${table(segments)} s on s.id = a.details->>'segment'
      where a.details->'destinationIds' <> '[]'`,
  );
  const authors = await readAuthors(
    on,
    tables,
    rows.map(({ details }) => details),
  );
  return new Map(
    rows.map(({ id, details, goal, segment }) => {
      const reach = reachOf(details.author, details, authors, new Date());
      const destinationIds = details.destinationIds.filter(
        (each) => whyNotSent(destinations.get(each), details, reach) === undefined,
      );
      const sentence = alertSentence(details, { goal: goal ?? undefined, segment: segment ?? undefined });
      return [id, { name: details.name, sentence, destinationIds }];
    }),
  );
}

/** The people and keys that made alerts. */
async function readAuthors(on: Queryable, { table }: RegistryTables, made: readonly AlertDetails[]) {
  const ids = [...new Set(made.map(({ author }) => author.id))];
  const memberRows = await run<Pick<Member, 'organizationId' | 'userId' | 'role'> & Record<string, unknown>>(
    on,
    sql`select ${recordFieldsSql(members, sql`m`)} from ${table(members)} m where user_id = any(${ids}::text[])`,
  );
  const keyRows = await run<StoredRecords['apiKeys'] & Record<string, unknown>>(
    on,
    sql`select ${recordFieldsSql(apiKeys, sql`k`)} from ${table(apiKeys)} k where id = any(${ids}::text[])`,
  );
  const keys = new Map(keyRows.map((row) => [row.id, withDetails<StoredRecords['apiKeys']>(row)]));
  return {
    member: (organizationId: string, userId: string) =>
      memberRows.find((row) => row.organizationId === organizationId && row.userId === userId),
    key: (id: string) => keys.get(id),
  };
}
