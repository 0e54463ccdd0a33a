import type { LinkClicked, MonitorChecked } from '@ledgerline/contracts/events/observed-events';
import { linkClicks, linkReturns } from '@ledgerline/contracts/read-models/links';
import { monitorChecks15min } from '@ledgerline/contracts/read-models/monitors';
import type { ReadModel } from '@ledgerline/contracts/read-models/read-model';
import { run } from '@ledgerline/platform/database/pool';
import { identifier } from '@ledgerline/platform/database/sql';
import { keyOfClick } from '../projections/links/link.projections';
import { countsOf } from '../projections/monitors/monitors-group';
import { compareChecks } from './compare-checks';
import type { DueDays, SubjectTables } from './day-comparison';
import { keyOf, type SubjectDay } from './findings';
import { CLICK_SUMS, compareLinkRollups, countClicks } from './link-rollups';
import { answeringTable } from './live-partition';
import { NONE } from './log-counts';

const dayOf = (at: number): number => Math.floor(at / 86_400_000);
const daysOf = (due: readonly DueDays[]): readonly SubjectDay[] =>
  due.flatMap(({ subject, days }) => [...days.keys()].map((day) => ({ subject, day })));

type TextTables = Pick<SubjectTables, 'column' | 'models' | 'atOnce' | 'valuesOf' | 'subjects'>;

/** Tables with the id of the subject; the first one has all of them. */
function tablesOf(column: 'link_id' | 'monitor_id', ...models: readonly [ReadModel, ...ReadModel[]]): TextTables {
  return {
    column,
    models,
    atOnce: 200,
    valuesOf: (_, ids) => Promise.resolve(ids),
    async subjects({ pool, tables }) {
      const answering = answeringTable(tables, models[0]);
      const text = `select distinct ${identifier(column).text} as id from ${answering?.table}`;
      return answering ? (await run<{ id: string }>(pool, { text, values: [] })).map(({ id }) => id) : [];
    },
  };
}

/** Clicks are compared with the log, and what is added up with these. */
export const LINKS: SubjectTables = {
  ...tablesOf('link_id', linkClicks, linkReturns, ...CLICK_SUMS),
  types: ['LinkClicked'],
  count(event) {
    const click = event as LinkClicked; // the only type of `types`
    const identity = Object.values(keyOfClick(click)).join(' ');
    const { linkId: subject } = click.data;
    return { subject, day: dayOf(click.at), adds: { [linkClicks.name]: 1 }, identity, zone: 'UTC' };
  },
  async compare(due, comparison) {
    const { tables } = comparison.live;
    const days = daysOf(due);
    await comparison.inSnapshot(async (on, upTo) => {
      const stored = await countClicks(on, tables, days);
      for (const day of days)
        comparison.suspect(day, new Map([[linkClicks.name, stored.get(keyOf(day)) ?? NONE]]), upTo);
      return compareLinkRollups(on, tables, days);
    });
  },
};

/** The sums of each day are compared with the log. */
export const MONITORS: SubjectTables = {
  ...tablesOf('monitor_id', monitorChecks15min),
  types: ['MonitorChecked'],
  count(event) {
    const check = event as MonitorChecked; // the only type of `types`
    const [counted] = countsOf(check);
    if (!counted) return undefined;
    const { monitor_id: subject, checks, failed, duration_ms } = counted;
    return { subject, day: dayOf(check.at), adds: { checks, failed, duration_ms }, identity: check.id, zone: 'UTC' };
  },
  async compare(due, comparison) {
    await comparison.inSnapshot((on) => compareChecks(on, daysOf(due), comparison));
  },
};
