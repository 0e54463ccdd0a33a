import type { LinkClicked, MonitorChecked } from '@ledgerline/contracts/events/observed-events';
import { linkClicks, linkClicks15min, linkReturns } from '@ledgerline/contracts/read-models/links';
import { monitorChecks15min } from '@ledgerline/contracts/read-models/monitors';
import type { ReadModel } from '@ledgerline/contracts/read-models/read-model';
import { LINK_DIMENSIONS } from '../projections/links/link.projections';
import { countsOf } from '../projections/monitors/monitors-group';
import { compareLinkRollups } from './link-rollups';
import type { CountEvent } from './log-counts';

/** What the tables of a group add up of each link or monitor, in blocks of 15 minutes and of a day of UTC. */
export interface Counters {
  readonly types: readonly string[];
  /** The column of the subject in each table. */
  readonly subject: 'link_id' | 'monitor_id';
  /** What is compared; the first one has all subjects. */
  readonly models: readonly ReadModel[];
  readonly count: CountEvent;
  /** A table with one row for each event. */
  readonly facts?: ReadModel;
  /** Compares what follows from the facts with these. */
  readonly compareRollups?: typeof compareLinkRollups;
  /** Which columns of which tables add up what the events of the log add; the first one counts them. */
  readonly sums: { readonly models: readonly ReadModel[]; readonly columns: readonly string[] };
}

const DAY_MS = 86_400_000;
const dayOf = (at: number): number => Math.floor(at / DAY_MS);

const CLICK_SUMS = [linkClicks15min, ...Object.values(LINK_DIMENSIONS).map(([model]) => model)];

const LINKS: Counters = {
  types: ['LinkClicked'],
  subject: 'link_id',
  models: [linkClicks, linkReturns, ...CLICK_SUMS],
  facts: linkClicks,
  sums: { models: CLICK_SUMS, columns: ['clicks'] },
  compareRollups: compareLinkRollups,
  count: (event) => {
    const { id, at, data } = event as LinkClicked; // the only type of `types`
    const identity = `${data.visitorId ?? ''} ${id}`;
    return { subject: data.linkId, day: dayOf(at), adds: { [linkClicks.name]: 1, clicks: 1 }, identity, zone: 'UTC' };
  },
};

const MONITORS: Counters = {
  types: ['MonitorChecked'],
  subject: 'monitor_id',
  models: [monitorChecks15min],
  sums: { models: [monitorChecks15min], columns: ['checks', 'failed', 'duration_ms'] },
  count: (event) => {
    const check = event as MonitorChecked; // the only type of `types`
    const [counted] = countsOf(check);
    if (!counted) return undefined;
    const { checks, failed, duration_ms } = counted;
    const day = dayOf(check.at);
    return {
      subject: check.data.monitorId,
      day,
      adds: { checks, failed, duration_ms },
      identity: check.id,
      zone: 'UTC',
    };
  },
};

export const COUNTERS: Readonly<Record<string, Counters>> = { links: LINKS, monitors: MONITORS };
