import { alerts } from './alerts';
import { append } from './append';
import { backup } from './backup';
import { commands } from './commands';
import { consoleDashboard } from './console';
import { dashboards } from './dashboards';
import { deliveries } from './deliveries';
import { disk } from './disk';
import { erase } from './erase';
import { flags } from './flags';
import { goals } from './goals';
import { heavy } from './heavy';
import { installation } from './installation';
import { intake } from './intake';
import { keys } from './keys';
import { lag } from './lag';
import type { Part } from './part';
import { project } from './project';
import { query } from './query';
import { raw } from './raw';
import { rebuild } from './rebuild';
import { redirect } from './redirect';
import { today } from './today';
import { together } from './together';

/** The parts that can be measured, in the order in which it is. */
export const PARTS = {
  append,
  intake,
  redirect,
  keys,
  flags,
  commands,
  installation,
  project,
  lag,
  deliveries,
  disk,
  query,
  dashboards,
  goals,
  alerts,
  console: consoleDashboard,
  raw,
  together,
  today,
  heavy,
  rebuild,
  backup,
  erase,
} satisfies Record<string, Part>;

export type PartName = keyof typeof PARTS;
export const PART_NAMES = Object.keys(PARTS) as PartName[];
