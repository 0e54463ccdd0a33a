import { decodeEventId } from '@ledgerline/contracts/events/event-id';
import { PROFILE_MODELS } from '@ledgerline/contracts/group-tables';
import { visitorProfiles } from '@ledgerline/contracts/read-models/profiles';
import { run } from '@ledgerline/platform/database/pool';
import { identifier } from '@ledgerline/platform/database/sql';
import { partitionOf } from '@ledgerline/platform/intake-log/intake-log';
import { readWebsiteTexts } from '../projections/websites/dictionary';
import { PROFILE_TYPES } from '../projections/websites/websites-group';
import { mixedId } from './digest';
import { keyOf } from './findings';
import { type EventDigest, positionOf } from './log-part';
import { Replay, SNAPSHOT, subjectTables } from './replay';
import { ALL_DAYS, type Comparing } from './stored-digests';

const DAY_MS = 86_400_000;

/** The way in which a group's tables are compared with a projection of their events. */
interface Replayed {
  /** The name that the tables give each subject, where that is another name. */
  readonly numbers?: () => Promise<ReadonlyMap<string, number>>;
  /** The table whose events are counted in the log; absent = those of all. */
  readonly counted?: string;
}

/** Compares the tables of links or monitors. */
export async function compareReplayed(of: Comparing): Promise<void> {
  const { group, live, stored, rest } = of;
  if (stored) await stored.readTo(eventIds(group), await positionOf(live.pool, live), rest);
  await compareSubjects(of, {});
}

/** Compares who the visitors of websites said to be, once their events are counted. */
export const compareProfiles = (of: Comparing): Promise<void> =>
  compareSubjects(
    { ...of, group: { ...of.group, builds: PROFILE_MODELS, types: PROFILE_TYPES } },
    {
      numbers: async () =>
        new Map(Array.from(await readWebsiteTexts(of.live.pool), ([number, text]) => [text, number])),
      counted: visitorProfiles.name,
    },
  );

/** Those alone of which rows or the events in the log are others than when they were compared last are projected anew. */
async function compareSubjects(of: Comparing, replayed: Replayed): Promise<void> {
  const { group, live, stored, report, rest } = of;
  const signatures = await signSubjects(of, replayed);
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
      const numbers = await replayed.numbers?.();
      const subjects = [...(only ?? new Set([...signatures.keys(), ...replay.subjects]))];
      const values = numbers ? subjects.flatMap((subject) => numbers.get(subject) ?? []) : subjects;
      const found = [];
      for (const table of subjectTables(group, live)) found.push(...(await replay.differences(table, values)));
      const names = new Map(Array.from(numbers ?? [], ([subject, number]) => [`${number}`, subject]));
      return found.map((finding) => ({ ...finding, subject: names.get(finding.subject) ?? finding.subject }));
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
      identity: () => [id, 0], // a click has one time, and is found by its id alone
    };
  },
});

/** Returns for each subject of the partition the sum of the hashes of its rows and of what the log has of it. */
async function signSubjects(
  { group, live, stored, rest }: Comparing,
  { numbers, counted }: Replayed,
): Promise<ReadonlyMap<string, bigint>> {
  const names = numbers && new Map(Array.from(await numbers(), ([subject, number]) => [`${number}`, subject]));
  const signatures = new Map<string, bigint>();
  const add = (subject: string, sum: bigint) => signatures.set(subject, (signatures.get(subject) ?? 0n) + sum);
  for (const { schema, model, column } of subjectTables(group, live)) {
    const text = `select ${column}::text as subject, sum(hash_record_extended(t, hashtext($1)))::text as sum
      from ${identifier(schema, model.name).text} t group by 1`;
    const rows = await run<{ subject: string; sum: string }>(live.pool, { text, values: [`${schema}.${model.name}`] });
    for (const { subject, sum } of rows) {
      const name = names ? names.get(subject) : subject;
      if (name !== undefined) add(name, BigInt(sum));
    }
    await rest();
  }
  for (const [subject, { events, checksum }] of (await stored?.subjects(counted)) ?? [])
    if (events > 0) add(subject, BigInt(events + checksum));
  const partitions = await live.log.partitions();
  return new Map([...signatures].filter(([subject]) => partitionOf(subject, partitions) === live.key.partition));
}
