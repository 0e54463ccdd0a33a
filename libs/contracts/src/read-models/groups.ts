import type { ReadModel } from './read-model';

/**
 * Projections advance in groups: one checkpoint per group and log partition, written in one transaction with the rows,
 * so that a snapshot is consistent. The tables of a group's version are in the Postgres schema `<group>_v<version>`; the
 * table `projection_groups` names the live version.
 */
export const GROUPS = ['registry', 'websites', 'links', 'monitors'] as const;
export type Group = (typeof GROUPS)[number];

export const schemaOf = (group: Group, version: number): string => `${group}_v${version}`;

/** What the tables of a group follow from. */
export interface GroupSchema {
  readonly name: Group;
  readonly builds: readonly ReadModel[];
  /** A number to raise when the meaning of a column changes, and the constants that rows depend on. */
  readonly schemaVersion: readonly number[];
}
