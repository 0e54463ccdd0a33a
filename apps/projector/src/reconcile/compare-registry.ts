import { isDeepStrictEqual } from 'node:util';
import type { Queryable } from '@ledgerline/platform/database/pool';
import { identifier, textHash } from '@ledgerline/platform/database/sql';
import { fingerprint } from '../rebuild/compare-versions';
import { type Finding, keyOf, noteRepair } from './findings';
import { type LivePartition, positionOf } from './log-part';
import { HELD, holdProjector } from './repair';
import { Replay, type ReplayedGroup, type ReplayedTable, SNAPSHOT } from './replay';
import { ALL_DAYS, type Comparing } from './stored-digests';

/** Compares every row of the registry with a projection of all decided events, if either has changed since the last time. */
export async function compareRegistry({ group, live, stored, report, rest }: Comparing): Promise<void> {
  const whole = { subject: group.name, day: ALL_DAYS };
  const tables = tablesOf(group, live);
  const proven = (await stored?.proven())?.get(keyOf(whole));
  if (proven !== undefined && proven === (await sign(live.pool, live, tables))) return;
  const { findings, signature } = await Replay.within(group, live, undefined, async (replay) => {
    await replay.readOn(rest);
    return replay.inTransaction(SNAPSHOT, async () => {
      await replay.readOn();
      const differing = await findDiffering(replay, tables);
      return { findings: differing.flatMap(([, found]) => found), signature: await sign(replay.client, live, tables) };
    });
  });
  for (const finding of findings) await report(finding);
  await stored?.prove([{ ...whole, signature: findings.length > 0 ? null : signature }]);
}

/**
 * Makes the tables of the registry hold what was decided; its projector waits while rows are compared and replaced. Answers
 * what differed, and notes it.
 * @throws TablesRevised
 */
export const repairRegistry = (group: ReplayedGroup, live: LivePartition): Promise<readonly Finding[]> =>
  Replay.within(group, live, undefined, async (replay) => {
    await replay.readOn();
    return replay.inTransaction(HELD, async () => {
      await holdProjector(replay.client, live);
      await replay.readOn();
      const differing = await findDiffering(replay, tablesOf(group, live));
      for (const [table] of differing) await replay.replace(table);
      const repaired = differing.flatMap(([, found]) => found);
      for (const each of repaired) await noteRepair(replay.client, live.key, each.subject, [each]);
      return repaired;
    });
  });

const tablesOf = ({ builds }: ReplayedGroup, { tables }: LivePartition): readonly ReplayedTable[] =>
  builds.flatMap((replayed) => tables.targetsOf(replayed).map((target) => ({ ...target, replayed })));

async function findDiffering(replay: Replay, tables: readonly ReplayedTable[]) {
  const differing: (readonly [ReplayedTable, readonly Finding[]])[] = [];
  for (const table of tables) {
    const found = await replay.differences(table);
    if (found.length > 0) differing.push([table, found.map(withoutValues)]);
  }
  return differing;
}

/** Only which columns differ: some hold hashes of secrets. */
function withoutValues(finding: Finding): Finding {
  const { expected, found } = finding;
  if (!expected || !found) return { ...finding, expected: expected && {}, found: found && {} };
  const names = Object.keys(expected).filter((name) => !isDeepStrictEqual(expected[name], found[name]));
  const each = (value: string) => Object.fromEntries(names.map((name) => [name, value]));
  return { ...finding, expected: each('as decided'), found: each('another value') };
}

/** A number that another one stands for if a row or the position in the log is another one. */
async function sign(on: Queryable, live: LivePartition, tables: readonly ReplayedTable[]): Promise<bigint> {
  const signed: unknown[] = [await positionOf(on, live)];
  for (const { schema, model } of tables)
    signed.push(model.name, await fingerprint(on, model, identifier(schema, model.name).text));
  return BigInt(`0x${textHash(JSON.stringify(signed))}`);
}
