import { compareRows } from '@ledgerline/platform/database/compare-rows';
import type { ObservedEvent } from '@ledgerline/contracts/events/observed-events';
import { run, transaction } from '@ledgerline/platform/database/pool';
import { BEGINNING, type Cursor } from '@ledgerline/platform/log/log-reader';
import { countedIn } from '../projections/written-tables';
import { reviseParked } from '../runner/parked-events';
import type { Counters } from './counters';
import type { Finding, SubjectDay } from './findings';
import { answeringTable, positionOf, type LivePartition } from './live-partition';
import { eventsBetween } from './log-counts';
import { replaceWithin } from './compare-window';

const DAY_MS = 86_400_000;

/** Makes the tables of a link or monitor hold what follows from the log, on all days. Answers what differed. */
export async function repairCounters(
  live: LivePartition,
  { subject }: SubjectDay,
  counters: Counters,
): Promise<Finding[]> {
  const { pool, part, tables, key } = live;
  const events: ObservedEvent[] = [];
  const collect = async (after: Cursor, upTo: Cursor) => {
    for await (const [read] of eventsBetween(part, after, upTo)) {
      for (const { event } of read) if (counters.count(event)?.subject === subject) events.push(event);
    }
  };
  const before = await positionOf(pool, live);
  await collect(BEGINNING, before);
  return transaction(pool, async (client) => {
    await run(client, reviseParked(key)); // locks the checkpoint
    await collect(before, await positionOf(client, live));
    const findings: Finding[] = [];
    for (const rows of counters.rowsOf(events)) {
      const { model } = rows;
      const answering = answeringTable(tables, model);
      if (!answering) continue;
      const whole = [...rows.values()];
      const scope = (bind: (value: unknown) => string) => `${counters.subject} = ${bind(subject)}::text`;
      const by = 'start_15min' in model.columns ? 'start_15min' : 'at';
      const found = await compareRows(client, { ...answering, scope, by }, countedIn(answering.model, model, whole));
      for (const { at, ...difference } of found) {
        findings.push({ ...difference, table: model.name, subject, day: Math.floor(at / DAY_MS) });
      }
      if (found.length === 0) continue;
      await replaceWithin(client, tables, model, scope, whole);
    }
    return findings;
  });
}
