import { decodeEventId } from '@ledgerline/contracts/events/event-id';
import { run } from '@ledgerline/platform/database/pool';
import { identifier } from '@ledgerline/platform/database/sql';
import { partitionOf } from '@ledgerline/platform/intake-log/intake-log';
import { mixedId } from './digest';
import { keyOf, type Finding } from './findings';
import { positionOf, type EventDigest } from './log-part';
import type { Comparing } from './stored-digests';
import { Replay, subjectTables } from './replay';

const SNAPSHOT = 'begin isolation level repeatable read';
const DAY_MS = 86_400_000;
/** The day by which the signature of all of a subject is stored. */
const ALL_DAYS = 0;

/**
 * Compares the tables of links or monitors with what follows from their events, which are projected anew: of those alone of
 * which rows or the events in the log are others than when they were compared last.
 */
export async function compareReplayed(of: Comparing): Promise<void> {
  const { group, live, stored, report, rest } = of;
  if (stored) await stored.readTo(eventIds(group), await positionOf(live.pool, live), rest);
  const signatures = await signSubjects(of);
  const proven = await stored?.proven();
  const due = [...signatures].filter(([subject, signature]) => {
    return proven?.get(keyOf({ subject, day: ALL_DAYS })) !== signature;
  });
  if (stored && due.length === 0) return;
  const only = stored && new Set(due.map(([subject]) => subject));
  const findings = await Replay.within(group, live, only, async (replay) => {
    await replay.readOn(rest);
    return replay.inTransaction(SNAPSHOT, async () => {
      await replay.readOn();
      const found: Finding[] = [];
      const values = [...(only ?? new Set([...signatures.keys(), ...replay.subjects]))];
      for (const table of subjectTables(group, live)) found.push(...(await replay.differences(table, values)));
      return found;
    });
  });
  for (const finding of findings) await report(finding);
  const differing = new Set(findings.map(({ subject }) => subject));
  await stored?.prove(
    due.map(([subject, signature]) => {
      return { subject, day: ALL_DAYS, signature: differing.has(subject) ? null : signature };
    }),
  );
}

/** Events by their time and id. */
const eventIds = (group: Comparing['group']): EventDigest => ({
  types: group.types,
  of: (event) => {
    const id = decodeEventId(event.id).toString('hex');
    const hashes = { [event.type]: mixedId(event.at, id) };
    return {
      subject: group.subjectOf({ event }),
      day: Math.floor(event.at / DAY_MS),
      zone: 'UTC',
      hashes,
      identity: () => id,
    };
  },
});

/** Of each subject of the partition, the sum of the hashes of its rows and of what the log has of it. */
async function signSubjects({ group, live, stored, rest }: Comparing): Promise<ReadonlyMap<string, bigint>> {
  const signatures = new Map<string, bigint>();
  const add = (subject: string, sum: bigint) => signatures.set(subject, (signatures.get(subject) ?? 0n) + sum);
  for (const { schema, model, column } of subjectTables(group, live)) {
    const text = `select ${column} as subject, sum(hash_record_extended(t, hashtext($1)))::text as sum
      from ${identifier(schema, model.name).text} t group by 1`;
    const rows = await run<{ subject: string; sum: string }>(live.pool, { text, values: [`${schema}.${model.name}`] });
    for (const { subject, sum } of rows) add(subject, BigInt(sum));
    await rest();
  }
  for (const [subject, { events, checksum }] of (await stored?.subjects()) ?? [])
    add(subject, BigInt(events + checksum));
  const partitions = await live.log.partitions();
  return new Map([...signatures].filter(([subject]) => partitionOf(subject, partitions) === live.key.partition));
}
