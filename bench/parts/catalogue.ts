import { append } from './append';
import { intake } from './intake';
import type { Part } from './part';
import { redirect } from './redirect';

/** What can be measured, in the order in which it is. */
export const PARTS = { append, intake, redirect } satisfies Record<string, Part>;

export type PartName = keyof typeof PARTS;
export const PART_NAMES = Object.keys(PARTS) as PartName[];
