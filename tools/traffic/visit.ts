import { someBot } from './browsers';
import {
  PLANS,
  someCustomEvent,
  someLinkOfSite,
  someOutgoingLink,
  somePage,
  somePageOfSite,
  someServerEvent,
  type SitePage,
} from './pages';
import { person, type Person } from './people';
import { Random } from './random';
import { someSource, type Source } from './sources';

/** One visit of the website: the person, the source, and its hits. */
export interface Visit {
  readonly number: number;
  /** 32 hexadecimal digits, unique per visit. */
  readonly key: string;
  readonly person: Person;
  readonly source: Source;
  /** The user agent of a crawler; null = a person. */
  readonly bot: string | null;
  readonly hits: readonly Hit[];
}

export type Hit = Deed & {
  /** When it happened: epoch ms. */
  readonly at: number;
  /** When the tracker receives it, in epoch ms: mostly at once, sometimes later, as from phones without connection. */
  readonly arrives: number;
  /** Its place in the visit, from 0. */
  readonly place: number;
};

export type Deed =
  | { readonly kind: 'click' }
  | { readonly kind: 'view'; readonly page: SitePage }
  | { readonly kind: 'leave'; readonly page: SitePage; readonly seconds: number; readonly depth: number }
  | {
      readonly kind: 'engagement';
      readonly page: SitePage;
      readonly seconds: number;
      readonly depth: number;
      readonly active: number | undefined;
    }
  | { readonly kind: 'custom'; readonly page: SitePage; readonly name: string; readonly plan: string | null }
  | { readonly kind: 'outgoing'; readonly page: SitePage; readonly href: string; readonly text: string }
  | { readonly kind: 'vital'; readonly page: SitePage; readonly metric: Metric; readonly value: number }
  | { readonly kind: 'error'; readonly page: SitePage; readonly failure: Failure }
  | { readonly kind: 'server'; readonly name: string; readonly amount: number };

/**
 * The habits of people on a website and what its script measures, as shares of its visits (bounces, server) and page
 * views.
 */
interface Habits {
  readonly page: (random: Random, previous?: SitePage) => SitePage;
  readonly link: typeof someOutgoingLink;
  readonly failures: readonly [Failure, ...Failure[]];
  readonly bounces: number;
  /** The share of the bounces that are over within seconds. */
  readonly quick: number;
  readonly vitals: number;
  /** Metrics of a page view that has any. */
  readonly metrics: readonly Metric[] | 'one';
  readonly errors: number;
  readonly custom: number;
  readonly outgoing: number;
  readonly engagement: number;
  /** The active share of the time on a page; absent: half of it. */
  readonly activeShare?: readonly [number, number];
  readonly leaves: number;
  readonly server: number;
}

/** A script that fails, and where. */
export interface Failure {
  readonly type: string;
  readonly message: string;
  readonly line: number;
}

const FAILURES: readonly [Failure, ...Failure[]] = [
  { type: 'TypeError', message: 'x is not a function', line: 112 },
  { type: 'TypeError', message: 'Failed to fetch', line: 7 },
  { type: 'TypeError', message: 'Cannot read properties of undefined', line: 2038 },
  { type: 'Error', message: 'ResizeObserver loop', line: 1 },
];

const FAILURES_OF_SITE: readonly [Failure, ...Failure[]] = [
  { type: 'TypeError', message: 'Failed to fetch', line: 418 },
  { type: 'TypeError', message: 'Failed to fetch', line: 418 },
  { type: 'TypeError', message: "Cannot read properties of undefined (reading 'price')", line: 2038 },
  { type: 'ReferenceError', message: 'IntersectionObserver is not defined', line: 77 },
  { type: 'QuotaExceededError', message: 'The quota has been exceeded.', line: 1204 },
  { type: 'SyntaxError', message: 'Unexpected token \'<\', "<!DOCTYPE "... is not valid JSON', line: 96 },
];

/** Few events on many pages, for measuring. */
const SPARSE: Habits = {
  page: somePage,
  link: someOutgoingLink,
  failures: FAILURES,
  bounces: 0.52,
  quick: 0,
  vitals: 0.05,
  metrics: 'one',
  errors: 0.01,
  custom: 0.09,
  outgoing: 0.04,
  engagement: 0.06,
  leaves: 0.36,
  server: 0.02,
};

/** Everything that the browser script measures, on the pages of a small company. */
export const MEASURED: Habits = {
  page: somePageOfSite,
  link: someLinkOfSite,
  failures: FAILURES_OF_SITE,
  bounces: 0.56,
  quick: 0.75,
  vitals: 0.2,
  metrics: ['TTFB', 'FCP', 'LCP', 'CLS', 'INP'],
  errors: 0.008,
  custom: 0.09,
  outgoing: 0.05,
  engagement: 0.4,
  activeShare: [0.45, 0.95],
  leaves: 0.95,
  server: 0.04,
};

/** Hits of an average visit of sparse habits; the spec holds the model to it. */
export const HITS_PER_VISIT = 3.3;

const STREAM = 2;
const HOUR_MS = 3_600_000;
const SHARE_OF_BOTS = 0.02;
const SHARE_OF_LATE_HITS = 0.01;

/** The visit with this number: the same for the same arguments, whatever else happens. */
export function visit(seed: number, number: number, visitor: number, startsAt: number, habits = SPARSE): Visit {
  const random = new Random(seed, STREAM, number);
  const bot = random.chance(SHARE_OF_BOTS) ? someBot(random) : null;
  const source = someSource(random);
  const hits = bot === null ? deedsOfAHuman(random, source, startsAt, habits) : [viewed(habits.page(random), startsAt)];
  return {
    number,
    key: random.hex(32),
    person: person(seed, visitor),
    source,
    bot,
    hits: hits.map((hit, place) => ({ ...hit, place, arrives: arrival(random, hit.at) })),
  };
}

type Timed = Deed & { readonly at: number };

const viewed = (page: SitePage, at: number): Timed => ({ kind: 'view', page, at });

const arrival = (random: Random, at: number): number =>
  Math.round(at + (random.chance(SHARE_OF_LATE_HITS) ? random.between(1, 36) * HOUR_MS : random.between(40, 900)));

function deedsOfAHuman(random: Random, source: Source, startsAt: number, habits: Habits): Timed[] {
  const hits: Timed[] = source.byShortLink ? [{ kind: 'click', at: startsAt - 700 }] : [];
  let at = startsAt;
  const views = howManyViews(random, habits.bounces);
  const isQuick = views === 1 && habits.quick > 0 && random.chance(habits.quick);
  let page: SitePage | undefined;
  for (let left = views; left > 0; left--) {
    page = habits.page(random, page);
    const stay = Math.min(random.exponential(isQuick ? 4_000 : 45_000), 20 * 60_000);
    hits.push(viewed(page, at), ...onThePage(random, page, at, stay, habits));
    at = Math.round(at + stay + 1);
  }
  if (random.chance(habits.server))
    hits.push({ kind: 'server', at, name: someServerEvent(random), amount: random.below(200) });
  return hits;
}

function howManyViews(random: Random, bounces: number): number {
  let views = 1;
  if (random.chance(bounces)) return views;
  do views++;
  while (random.chance(0.55) && views < 40);
  return views;
}

/** Returns what a person does on one page, in order of time. */
function onThePage(random: Random, page: SitePage, at: number, stay: number, habits: Habits): Timed[] {
  const deeds: Timed[] = [];
  const later = (share: number) => Math.round(at + stay * share);
  const seconds = Math.round(stay / 10) / 100;
  const depth = random.below(101);
  if (random.chance(habits.vitals)) {
    for (const vital of someVitals(random, habits.metrics))
      deeds.push({ kind: 'vital', page, at: later(0.01), ...vital });
  }
  if (random.chance(habits.errors))
    deeds.push({ kind: 'error', page, at: later(0.1), failure: random.pick(habits.failures) });
  if (random.chance(habits.custom)) {
    const plan = random.chance(0.3) ? random.pick(PLANS) : null;
    deeds.push({ kind: 'custom', page, at: later(0.4), name: someCustomEvent(random), plan });
  }
  if (random.chance(habits.outgoing)) deeds.push({ kind: 'outgoing', page, at: later(0.9), ...habits.link(random) });
  const active =
    habits.activeShare === undefined
      ? undefined
      : Math.round(100 * seconds * random.between(...habits.activeShare)) / 100;
  if (random.chance(habits.engagement)) deeds.push({ kind: 'engagement', page, at: later(1), seconds, depth, active });
  if (random.chance(habits.leaves)) deeds.push({ kind: 'leave', page, at: later(1), seconds, depth });
  return deeds;
}

/** Typical values: milliseconds, of CLS a score, of FPS frames a second. */
const VITALS = { LCP: 2100, FCP: 1300, INP: 140, TTFB: 420, CLS: 0.08, FPS: 55 } as const;
type Metric = keyof typeof VITALS;

function someVitals(random: Random, metrics: Habits['metrics']): { metric: Metric; value: number }[] {
  const measured =
    metrics === 'one' ? [random.pick(['LCP', 'LCP', 'INP', 'CLS', 'FCP', 'TTFB', 'FPS'] as const)] : metrics;
  return measured.map((metric) => ({
    metric,
    value: Math.round((0.3 + random.exponential(0.7)) * VITALS[metric] * 1000) / 1000,
  }));
}
