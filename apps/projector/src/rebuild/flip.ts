import { schemaOf } from '@ledgerline/contracts/read-models/groups';
import type { ReadModel } from '@ledgerline/contracts/read-models/read-model';
import { run } from '@ledgerline/platform/database/pool';
import { execute } from '@ledgerline/platform/database/read-model-ddl';
import { identifier, sql } from '@ledgerline/platform/database/sql';
import {
  covers,
  declarationOf,
  readStoredTables,
  type StoredTable,
} from '@ledgerline/platform/database/table-declaration';
import { versionOf, type GroupLayout, type TablePlace } from '@ledgerline/platform/table-versions/group-layout';
import type { BoundGroup } from '../runner/bound-group';
import { changeLayout, type LayoutChange } from '../runner/change-layout';
import { isWhole } from '../runner/plan-tables';
import { isWritable } from '../runner/resolve-tables';
import type { CatchUp } from './catch-up';
import { whileLiveIsHeld, type Held } from './while-live-is-held';

interface Filled extends CatchUp {
  readonly models: readonly ReadModel[];
}

/** Makes tables of a version answer, at the position of those that did. Returns how long it took, ms. */
export async function flipTo(filled: Filled): Promise<Held<number>> {
  const { group, version, models } = filled;
  const flipped = await whileLiveIsHeld(filled, async (_, client) => {
    const began = performance.now();
    const stored = await readStoredTables(client, group.name);
    await changeLayout(client, group.name, (layout) =>
      isWhole(group, models) ? wholeFlip(group, layout, stored, version) : partialFlip(layout, stored, models, version),
    );
    if (!isWhole(group, models)) {
      // from now on they advance under the checkpoints of the live version
      const gone = sql`delete from projection_checkpoints where projection_group = ${group.name} and version = ${version}`;
      await run(client, gone);
    }
    return performance.now() - began;
  });
  if (!isWhole(group, models)) await dropOthers(filled);
  return flipped;
}

/** What answered before is kept if this program can go on writing it. */
function wholeFlip(
  group: BoundGroup,
  layout: GroupLayout,
  stored: readonly StoredTable[],
  version: number,
): LayoutChange {
  const { previous } = layout;
  const kept = { version: layout.version, tables: places(layout.tables) };
  const isKept = isWritable(group, layout, stored);
  const tables = previous?.version === version ? previous.tables : {};
  return { version, tables, previous: isKept ? kept : null };
}

const places = (tables: GroupLayout['tables']): GroupLayout['tables'] =>
  Object.fromEntries(
    Object.entries(tables).flatMap(([name, { version, isFrozen }]): [string, TablePlace][] => {
      const place = { ...(version === undefined ? {} : { version }), ...(isFrozen ? { isFrozen } : {}) };
      return version === undefined && !isFrozen ? [] : [[name, place]];
    }),
  );

function partialFlip(
  layout: GroupLayout,
  stored: readonly StoredTable[],
  models: readonly ReadModel[],
  version: number,
): LayoutChange {
  const flipped = models.map((model): [string, TablePlace] => {
    const before = versionOf(layout, model.name);
    const table = stored.find((each) => each.name === model.name && each.version === before);
    const isKept =
      table?.declaration && !layout.tables[model.name]?.isFrozen && covers(declarationOf(model), table.declaration);
    return [model.name, { version, ...(isKept ? { previous: before } : {}) }];
  });
  return { ...layout, tables: { ...layout.tables, ...Object.fromEntries(flipped) } };
}

/** Those that were only needed to fill the ones that answer now. */
async function dropOthers({ group, version, models }: Filled): Promise<void> {
  const stored = await readStoredTables(group.pool, group.name);
  const others = stored.filter(
    ({ name, version: its }) => its === version && !models.some((model) => model.name === name),
  );
  await execute(
    group.pool,
    others.map(({ name }) => `drop table ${identifier(schemaOf(group.name, version), name).text}`),
  );
}
