import { GROUPS } from '@ledgerline/contracts/read-models/groups';
import type { ReadModel } from '@ledgerline/contracts/read-models/read-model';
import { StartFailure } from '@ledgerline/platform/config/start-failure';
import type { BoundGroup } from '../../apps/projector/src/runner/bound-group';

export const NAMES = 'NAME…|all';
export const NAMES_MEANING = `a NAME is a group (${GROUPS.join(', ')}) or a table; of tables with the name of a group: GROUP.TABLE`;

/** What was named of one group; in each of its read stores. */
export interface NamedTables {
  readonly group: BoundGroup;
  readonly tables: readonly ReadModel[];
}

/** @throws StartFailure for a name that is none */
export function namedTables(groups: readonly BoundGroup[], words: readonly string[]): readonly NamedTables[] {
  const unknown = words.find((word) => word !== 'all' && !groups.some((group) => tablesNamed(group, word).length > 0));
  if (unknown !== undefined)
    throw new StartFailure(
      `There is no group or table "${unknown}". The groups are ${GROUPS.join(', ')}; "all" means all of them.`,
    );
  return groups.flatMap((group) => {
    const named = new Set(words.flatMap((word) => tablesNamed(group, word)));
    if (named.size === 0) return [];
    // in the order of the group: all of its tables are the group
    const tables = named.size === group.builds.length ? group.builds : group.builds.filter((model) => named.has(model));
    return [{ group, tables }];
  });
}

function tablesNamed({ name, builds }: BoundGroup, word: string): readonly ReadModel[] {
  if (word === 'all' || word === name) return builds;
  const isGroup = GROUPS.some((each) => each === word);
  return builds.filter((model) => `${name}.${model.name}` === word || (!isGroup && model.name === word));
}

/** The group or tables, with the place of their store if there are several. */
export function nameOf({ group, tables }: NamedTables): string {
  const { place, stores } = group.share;
  const named = tables === group.builds ? group.name : tables.map(({ name }) => name).join(', ');
  return stores === 1 ? named : `${named} (store ${place})`;
}
