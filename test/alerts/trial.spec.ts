import { randomBytes } from 'node:crypto';
import { QueryBus } from '@nestjs/cqrs';
import { DateTime } from 'luxon';
import type { PageViewed } from '@ledgerline/contracts/events/observed-events';
import type { Caller } from '@ledgerline/domain/access/caller';
import { TryAlert } from '../../apps/api/src/alerts/try-alert.query';
import { ok } from '../api/every-change';
import { ownerWithWebsite, type Owner } from '../api/people';
import { startTestApi, type TestApi } from '../api/test-api';
import { pageView } from '../events/observed-events';
import { projectInto, type DirectProjector } from '../query/projected-database';

jest.setTimeout(300_000);

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** Clocks of Berlin go back at 01:00 UTC on 2026-10-25. */
const ZONE = 'Europe/Berlin';
const NOW = Date.parse('2026-11-20T12:02:30Z');
const BEGIN = NOW - 100 * DAY;
const FIRST_DAY = DateTime.fromMillis(BEGIN, { zone: ZONE }).startOf('day').toMillis();
const SPIKE = Date.parse('2026-10-25T00:30:00Z');
const OUTAGE = Date.parse('2026-11-10T09:00:00Z');

const DE = { field: 'country', op: 'eq', value: 'DE' } as const;

describe('the trial of an alert', () => {
  it.each<readonly [string, Partial<Rule>]>([
    ['page views above a number', { figure: 'pageviews', compare: 'above', threshold: 30 }],
    ['page views of a country', { figure: 'pageviews', compare: 'above', threshold: 15, filters: [DE] }],
    ['visitors of a segment', { figure: 'visitors', compare: 'above', threshold: 8, segment: 'phones' }],
    ['visitors that changed', { figure: 'visitors', compare: 'changed', percent: 60, direction: 'down', minimum: 6 }],
    ['page views that changed', { figure: 'pageviews', compare: 'changed', percent: 150, pauseMinutes: 600 }],
    ['conversions that fail to come', { figure: 'conversions', compare: 'silence', goalId: 'orders' }],
    ['at night', { figure: 'pageviews', compare: 'below', threshold: 3, quietHours: { from: '22:00', to: '07:00' } }],
  ])('tells of %s what plain loops over the events do', async (_, { segment, goalId, ...given }) => {
    const rule = {
      ...RULE,
      ...given,
      ...(segment !== undefined && { segment: segmentId }),
      ...(goalId !== undefined && { goalId: orders }),
    };
    const trial = await tryRule(rule);
    const naive = naiveTrial(rule as Rule);
    expect(
      trial.told.map(({ outcome, to, figure, usual }) => ({ outcome, to: Date.parse(to), figure, usual })),
    ).toEqual(naive.told);
    expect(naive.told.length).toBeGreaterThan(0);
    expect([trial.windows, trial.decided]).toEqual([naive.windows, naive.decided]);
    expect(trial.figures.map(([to, figure]) => [to, figure])).toEqual(naive.figures);
  });

  it('stores nothing, and says the rule back', async () => {
    const { sentence, timezone } = await tryRule({ ...RULE, compare: 'changed', percent: 50, filters: [DE] });
    expect(sentence).toBe('Page views of the last hour more than 50 % above or below the usual, where country is DE');
    expect(timezone).toBe(ZONE);
    const { organizationId, headers } = owner;
    const { body } = await ok(api, `GET /v1/alerts?organizationId=${organizationId}`, { headers });
    expect(body).toMatchObject({ data: [], total: 0 });
  });
});

const RULE = { name: 'Tried', figure: 'pageviews', window: { minutes: 60 }, compare: 'above', pauseMinutes: 60 };

interface Rule {
  readonly figure: 'pageviews' | 'visitors' | 'conversions';
  readonly compare: 'above' | 'below' | 'changed' | 'silence';
  readonly threshold?: number;
  readonly percent?: number;
  readonly direction?: 'up' | 'down';
  readonly minimum?: number;
  readonly pauseMinutes: number;
  readonly filters?: readonly object[];
  readonly segment?: string;
  readonly goalId?: string;
  readonly quietHours?: { readonly from: string; readonly to: string };
}

/** Every window of an hour of 90 days, one after the other. */
function naiveTrial(rule: Rule) {
  const counted = views.filter(
    ({ data }) => (!rule.filters || data.country === 'DE') && (rule.segment === undefined || data.device === 'mobile'),
  );
  const of = rule.figure === 'conversions' ? counted.filter(({ data }) => data.path === '/order') : counted;
  const to = NOW - 2 * MINUTE;
  const told: { outcome: string; to: number; figure: number | null; usual: number | null }[] = [];
  const figures: (readonly [number, number | null])[] = [];
  let decided = 0;
  let firing = false;
  let pausedUntil = 0;
  for (let end = Math.ceil((to - 90 * DAY + 1) / (5 * MINUTE)) * 5 * MINUTE; end <= to; end += 5 * MINUTE) {
    const figure = naiveFigure(rule, of, end);
    const usual = naiveUsual([1, 2, 3, 4].map((week) => naiveFigure(rule, of, weeksBefore(end, week))));
    figures.push([end / 1_000, figure]);
    const met = figure === null ? null : naiveVerdict(rule, figure, usual);
    if (met === null) continue;
    decided++;
    const outcome: string | null = met && !firing && end >= pausedUntil ? 'fired' : !met && firing ? 'over' : null;
    if (outcome === null || isQuiet(rule, end)) continue;
    firing = outcome === 'fired';
    if (firing) pausedUntil = end + rule.pauseMinutes * MINUTE;
    told.push({ outcome, to: end, figure, usual: rule.compare === 'changed' ? usual : null });
  }
  return { told, figures, windows: figures.length, decided };
}

/** In quiet hours that end with a window what they held back is told of that window, if it is still so. */
function isQuiet({ quietHours }: Rule, at: number): boolean {
  const shown = DateTime.fromMillis(at, { zone: ZONE }).toFormat('HH:mm');
  return quietHours !== undefined && (shown >= quietHours.from || shown < quietHours.to);
}

function naiveFigure({ figure }: Rule, of: readonly PageViewed[], end: number): number | null {
  if (end - HOUR < FIRST_DAY) return null;
  const inWindow: PageViewed[] = [];
  for (let at = firstFrom(of, end - HOUR); at < of.length && of[at]!.at < end; at++) inWindow.push(of[at]!);
  return figure === 'visitors' ? new Set(inWindow.map(({ data }) => data.visitorId)).size : inWindow.length;
}

function firstFrom(of: readonly PageViewed[], from: number): number {
  let low = 0;
  let high = of.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (of[middle]!.at < from) low = middle + 1;
    else high = middle;
  }
  return low;
}

function naiveUsual(figures: readonly (number | null)[]): number | null {
  const known = figures.filter((figure) => figure !== null).sort((a, b) => a - b);
  if (known.length < 2) return null;
  return (known[Math.floor((known.length - 1) / 2)]! + known[Math.ceil((known.length - 1) / 2)]!) / 2;
}

function naiveVerdict(rule: Rule, figure: number, usual: number | null): boolean | null {
  const { compare, threshold = 0, percent = 0, direction, minimum = 0 } = rule;
  if (compare === 'silence') return figure === 0;
  if (compare === 'below') return figure < threshold;
  if (compare === 'above') return figure > threshold;
  if (usual === null) return null;
  const isUp = figure * 100 > usual * (100 + percent);
  const isDown = figure * 100 < usual * (100 - percent);
  const isChanged = (direction !== 'down' && isUp) || (direction !== 'up' && isDown);
  return isChanged && Math.max(figure, usual) >= minimum;
}

/** The same time of the clock, of two that are one the first. */
function weeksBefore(at: number, weeks: number): number {
  const known = earlier.get(`${at} ${weeks}`);
  if (known !== undefined) return known;
  const found = findWeeksBefore(at, weeks);
  earlier.set(`${at} ${weeks}`, found);
  return found;
}

const earlier = new Map<string, number>();

function findWeeksBefore(at: number, weeks: number): number {
  const found = DateTime.fromMillis(at, { zone: ZONE }).minus({ weeks });
  const hourBefore = found.minus({ hours: 1 });
  const isSecond = hourBefore.hour === found.hour;
  return isSecond ? hourBefore.toMillis() : found.toMillis();
}

/** More by day than by night, with a spike and an outage. */
function simulated(websiteId: string): PageViewed[] {
  const found: PageViewed[] = [];
  for (let at = BEGIN; at < NOW; at += 5 * MINUTE) {
    const { hour } = DateTime.fromMillis(at, { zone: ZONE });
    const isOut = at >= OUTAGE && at < OUTAGE + 6 * HOUR;
    const isSpike = at >= SPIKE && at < SPIKE + 2 * HOUR;
    const count = isOut ? 0 : (hour >= 7 && hour < 22 ? 2 : found.length % 3 === 0 ? 1 : 0) + (isSpike ? 5 : 0);
    for (let nth = 0; nth < count; nth++) {
      const visitor = (found.length * 7919) % 40;
      found.push(
        pageView(at + nth * 1_000, {
          organizationId: owner.organizationId,
          websiteId,
          zone: ZONE,
          visitorId: `${dayText(at)}${visitor}`.padEnd(32, '0'),
          sessionId: randomBytes(16).toString('hex'),
          country: visitor % 2 === 0 ? 'DE' : 'FR',
          device: visitor % 3 === 0 ? 'mobile' : 'desktop',
          path: visitor % 4 === 0 ? '/order' : '/',
        }),
      );
    }
  }
  return found;
}

/** Visitors of a website are those of a day. */
const dayText = (at: number) => DateTime.fromMillis(at, { zone: ZONE }).toFormat('yyyyMMdd');

async function tryRule(rule: object) {
  const { organizationId, id } = owner;
  const caller: Caller = { kind: 'user', id, roles: new Map([[organizationId, 'owner']]) };
  // as a request is once it is validated
  const body = { organizationId, websiteId: site, ...rule } as unknown as ConstructorParameters<typeof TryAlert>[0];
  return api.app.get(QueryBus).execute(new TryAlert(body, caller, new AbortController().signal, NOW));
}

let api: TestApi;
let owner: Owner;
let projector: DirectProjector;
let site: string;
let segmentId: string;
let orders: string;
let views: readonly PageViewed[];

beforeAll(async () => {
  api = await startTestApi();
  projector = await projectInto(api.settings.databaseUrl);
  owner = await ownerWithWebsite(api);
  const { organizationId, headers } = owner;
  const create = async (path: string, body: object) =>
    (await ok(api, `POST ${path}`, { body: { organizationId, ...body }, headers })).body.id as string;
  site = await create('/v1/websites', { name: 'Berlin', domain: 'shop.example', timezone: ZONE });
  const filters = [{ field: 'device_type', op: 'eq', value: 'mobile' }];
  segmentId = await create('/v1/segments', { name: 'Phones', filters });
  const condition = { kind: 'page', filters: [{ field: 'path', op: 'eq', value: '/order' }] };
  orders = await create('/v1/goals', { websiteId: site, name: 'Orders', condition });
  views = simulated(site);
  await projector.send(site, views);
});
afterAll(async () => {
  await projector.close();
  await api.close();
});
