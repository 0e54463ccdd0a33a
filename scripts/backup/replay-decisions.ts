import type { Client } from 'pg';
import type { AuditLogResealed, SubjectErased } from '@ledgerline/contracts/events/audit-log.events';
import type { WebsiteEvent } from '@ledgerline/contracts/events/organization.events';
import { decide } from '@ledgerline/domain/decider';
import { isErasure, rulesOf } from '@ledgerline/domain/erasures/erasure-rules';
import { website } from '@ledgerline/domain/websites/website.decider';
import { run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import {
  asDecided,
  decidedIn,
  erasureStream,
  occurredAt,
  streamOrganization,
  type RecordedEvent,
  resealStream,
} from '@ledgerline/platform/event-store/event-store';
import { destroyKeys } from '@ledgerline/platform/personal-data/personal-data-cipher';
import { newPrefixedId } from '../../apps/api/src/commands/command-context';
import { insertRules } from '../../apps/projector/src/runner/erasure-rules';
import { systemEvent } from '../audit/record-by-system';
import type { ExportedDecision } from './later-decisions';
import { removePerson } from './remove-person';
import { RestoredEvents } from './restored-history';

/** The decisions after a backup that were carried out. */
export interface Replayed {
  readonly erasures: number;
  /** Websites that keep hits for another time. */
  readonly retentions: number;
  /** Erased people whose accounts stay, as each is the last owner of an organization that the backup has. */
  readonly lastOwners: readonly string[];
}

/**
 * Carries out what was decided after a backup, in the transaction that restores it, and records in the history of each
 * organization that it goes on from there. Rules about visitors are in force before anything is projected.
 */
export async function replayDecisions(
  client: Client,
  backupAt: string,
  decisions: readonly ExportedDecision[],
): Promise<Replayed> {
  const history = new RestoredEvents(client);
  const later = await unknownOf(history, decisions);
  const erasures = later.filter(isOfErasure);
  await recordRestore(history, backupAt);
  await history.append(erasures);
  const lastOwners: string[] = [];
  for (const { type, data } of decidedIn(erasures))
    if (type === 'SubjectErased') lastOwners.push(...(await erase(history, data)));
  const retentions = await replayRetentions(history, later);
  await putInForce(history);
  return { erasures: new Set(erasures.map(({ stream }) => stream)).size, retentions, lastOwners };
}

async function recordRestore(history: RestoredEvents, backupAt: string): Promise<void> {
  const events = (await history.organizations()).map((organizationId) => {
    const resealId = newPrefixedId('seal');
    const reason = `Restored from the backup of ${backupAt}`;
    const data = { organizationId, resealId, reason, lost: null } satisfies AuditLogResealed['data'];
    const event = systemEvent('RestoreBackup', organizationId, { type: 'AuditLogResealed', data });
    return { stream: resealStream(organizationId, resealId), ...event };
  });
  await history.append(events);
}

/** The decisions that are not stored, of organizations that there are, in the order of their streams. */
async function unknownOf(
  history: RestoredEvents,
  decisions: readonly ExportedDecision[],
): Promise<readonly RecordedEvent[]> {
  const ids = decisions.map(({ id }) => id);
  const stored = new Set((await history.read(sql`id = any(${ids}::uuid[])`)).map(({ id }) => id));
  const organizations = await history.organizations();
  const isLater = ({ id, stream }: ExportedDecision) =>
    !stored.has(id) && organizations.includes(streamOrganization(stream));
  const later = new Map(decisions.filter(isLater).map((decision) => [decision.id, decision]));
  return [...later.values()]
    .toSorted((a, b) => a.revision - b.revision)
    .map((decision) => ({ ...decision, cursor: '', recordedAt: new Date() }));
}

function isOfErasure(event: RecordedEvent): boolean {
  const decided = asDecided(event);
  if (!decided || !isErasure(decided)) return false;
  return event.stream === erasureStream(decided.data.organizationId, decided.data.erasureId);
}

/** Answers who stays as the last owner of an organization. */
async function erase(
  history: RestoredEvents,
  { organizationId, subject, destroyedKeyIds }: SubjectErased['data'],
): Promise<readonly string[]> {
  const { client } = history;
  await destroyKeys(client, organizationId, destroyedKeyIds);
  if ('invitationId' in subject)
    await run(client, sql`delete from invitation_addresses where invitation_id = ${subject.invitationId}`);
  if ('profile' in subject)
    await run(
      client,
      sql`delete from profile_keys where website_id = ${subject.websiteId} and subject = ${subject.profile}`,
    );
  if (!('userId' in subject) || (await removePerson(history, organizationId, subject.userId))) return [];
  return [subject.userId];
}

/** Answers of how many websites it was changed. */
async function replayRetentions(history: RestoredEvents, later: readonly RecordedEvent[]): Promise<number> {
  const newest = new Map<string, number | null>();
  for (const { type, data, stream } of decidedIn(later) as (RecordedEvent & WebsiteEvent)[])
    if (type === 'WebsiteUpdated') newest.set(stream, data.retentionDays);
  let changed = 0;
  for (const [stream, retentionDays] of newest) {
    const known = decidedIn(await history.read(sql`stream = ${stream}`)) as readonly (RecordedEvent & WebsiteEvent)[];
    if (known.length === 0 || known.at(-1)?.type === 'WebsiteDeleted') continue;
    const events = decide(website, known, { type: 'UpdateWebsite', data: { changes: { retentionDays } } });
    await history.append(
      events.map((event) => ({ stream, ...systemEvent('UpdateWebsite', streamOrganization(stream), event) })),
    );
    changed += events.length;
  }
  return changed;
}

/** In the tables of the first read store, so that no batch is projected without the rules. */
async function putInForce(history: RestoredEvents): Promise<void> {
  const [table] = await run<{ isThere: boolean }>(
    history.client,
    sql`select to_regclass('erasure_rules') is not null as "isThere"`,
  );
  if (!table?.isThere) return; // the backup is of a version without rules
  const events = await history.read(sql`type in ('SubjectErased', 'ErasureExtended')`);
  const rules = decidedIn(events).flatMap((event) =>
    isErasure(event) ? rulesOf(event, Date.parse(occurredAt(event))) : [],
  );
  if (rules.length > 0) await insertRules(history.client, rules);
}
