import type { ReadModel } from './read-model';

/**
 * Projections advance in groups: one checkpoint per group and log partition, written in one transaction with the rows,
 * so that a snapshot is consistent. A version is the Postgres schema
 * `<group>_v<version>` with its checkpoints; `projection_groups` names the live one, and the tables that are in the
 * schema of another version.
 */
export const GROUPS = ['registry', 'websites', 'links', 'monitors'] as const;
export type Group = (typeof GROUPS)[number];

export const schemaOf = (group: Group, version: number): string => `${group}_v${version}`;

/** The tables of a group. */
export interface GroupSchema {
  readonly name: Group;
  readonly builds: readonly ReadModel[];
  /** Those of them that computing changes reads: no table can be filled without them, and they change together. */
  readonly state: readonly ReadModel[];
}
