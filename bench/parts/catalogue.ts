import { append } from './append';
import { disk } from './disk';
import { intake } from './intake';
import type { Part } from './part';
import { project } from './project';
import { query } from './query';
import { rebuild } from './rebuild';
import { redirect } from './redirect';

/** What can be measured, in the order in which it is. */
export const PARTS = { append, intake, redirect, project, disk, query, rebuild } satisfies Record<string, Part>;

export type PartName = keyof typeof PARTS;
export const PART_NAMES = Object.keys(PARTS) as PartName[];
