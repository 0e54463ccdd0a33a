/**
 * Projections advance in groups: one checkpoint per group and log partition, rows and checkpoint in one transaction, so
 * that a snapshot never mixes two moments. The tables of a group's version live in the Postgres schema
 * `<group>_v<version>`; the table `projection_groups` says which version answers.
 */
export const GROUPS = ['registry', 'websites', 'links'] as const;
export type Group = (typeof GROUPS)[number];

export const schemaOf = (group: Group, version: number): string => `${group}_v${version}`;
