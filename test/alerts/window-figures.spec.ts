import fc from 'fast-check';
import type { ConditionDefinition } from '@ledgerline/contracts/definitions';
import { ALERT_FIGURES, ALERT_WINDOW_MINUTES, type AlertFigure } from '@ledgerline/contracts/events/alert.events';
import type { WebsiteObservedEvent } from '@ledgerline/contracts/events/observed-events';
import { windowShape, windowsBetween } from '@ledgerline/domain/alerts/alert-windows';
import type { InstantRange } from '@ledgerline/domain/query/buckets';
import { AlertFigures } from '../../apps/api/src/alerts/alert-figures';
import { ok } from '../api/every-change';
import { ownerWithWebsite, type Owner } from '../api/people';
import { startTestApi, type TestApi } from '../api/test-api';
import { conversionsIn } from '../oracle/naive-conditions';
import { dateOf, distinct, median, percent, type NaiveFilter, type NaiveRequest } from '../oracle/naive-request';
import { select, withClicks, type Selection } from '../oracle/naive-selection';
import { goal } from '../oracle/random-definitions';
import { websiteFilters } from '../oracle/random-requests';
import { traffic } from '../oracle/random-traffic';
import { projectInto, type DirectProjector } from '../query/projected-database';

jest.setTimeout(600_000);

/** `ALERT_RUNS=40 npx jest test/alerts/window-figures` for the long run. */
const RUNS = Number(process.env['ALERT_RUNS'] ?? 3);
const SEED = Number(process.env['ALERT_SEED'] ?? 71);
const DAY_MS = 86_400_000;
const WINDOWS = 24;

const SEGMENTS: readonly (readonly NaiveFilter[])[] = [
  [{ field: 'country', op: 'in', value: ['DE', 'FR'] }],
  [{ field: 'path', op: 'starts_with', value: '/a' }],
  [
    {
      any: [
        { field: 'device_type', op: 'eq', value: 'mobile' },
        { field: 'utm_source', op: 'eq', value: 'x' },
      ],
    },
  ],
];

/** Goals of vitals may ask for a metric that there is not, which is refused. */
const isCreatable = ({ condition }: { readonly condition: ConditionDefinition }) => condition.kind !== 'vital';

const asked = fc.record({
  some: traffic,
  filters: fc.oneof({ weight: 2, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: websiteFilters }),
  segmentFilters: fc.option(fc.constantFrom(...SEGMENTS)),
  goal: goal.filter(isCreatable),
  windows: fc.array(fc.nat(), { minLength: WINDOWS, maxLength: WINDOWS }),
});

describe(`figures of windows (seed ${SEED}, ${RUNS} runs)`, () => {
  it('are those of plain loops over the events, in every zone, with filters, segments and goals', async () => {
    let compared = 0;
    for (const { some, filters, segmentFilters, goal: named, windows: places } of fc.sample(asked, {
      seed: SEED,
      numRuns: RUNS,
    })) {
      const { zone } = some;
      const site = await created('/v1/websites', { domain: 'shop.example', timezone: zone });
      const events = some.events({ ...owner, websiteId: site, zone });
      await projector.send(site, events);
      const goalId = await created('/v1/goals', { websiteId: site, condition: named.condition });
      const segment = segmentFilters && (await created('/v1/segments', { websiteId: site, filters: segmentFilters }));
      for (const figure of FIGURES) {
        const question = { ...owner, websiteId: site, linkId: null, figure, filters, segment };
        const of = { ...question, goalId: figure === 'conversions' ? goalId : null };
        const windows = windowsOf(figure, zone, events, places);
        const { figures } = await api.app.get(AlertFigures, { strict: false }).read(of, windows);
        const naive = windows.map((window) => {
          if (isBefore(window, events, zone)) return null;
          const request = requestOf(window, zone, [...filters, ...(segmentFilters ?? [])]);
          return naiveFigure(figure, select(withClicks(events), request), named.condition);
        });
        const where = { zone, figure, filters, segmentFilters, goal: named.condition };
        expect({ ...where, figures }).toEqual({ ...where, figures: naive.map(exactly) });
        compared += naive.filter((each) => each !== null && each > 0).length;
      }
    }
    expect(compared).toBeGreaterThan(20 * RUNS);
  });
});

const FIGURES = (Object.keys(ALERT_FIGURES) as AlertFigure[]).filter((figure) => figure !== 'clicks');
const VITALS: Partial<Record<AlertFigure, string>> = { lcp: 'LCP', fcp: 'FCP', cls: 'CLS', inp: 'INP', ttfb: 'TTFB' };

/** Windows of all lengths that hold an event, which overlap, and some before all of them. */
function windowsOf(
  figure: AlertFigure,
  zone: string,
  events: readonly WebsiteObservedEvent[],
  places: readonly number[],
): InstantRange[] {
  const lengths = ALERT_WINDOW_MINUTES.filter((minutes) => minutes >= ALERT_FIGURES[figure].minMinutes);
  return places.flatMap((place, nth) => {
    const minutes = lengths[nth % lengths.length]!;
    const at = nth % 8 === 7 ? events[0]!.at - 9 * DAY_MS : events[place % events.length]!.at;
    const holding = windowsBetween(windowShape({ figure, window: { minutes } }, zone), at, at + 2 * DAY_MS);
    return holding.filter(({ from }) => from <= at)[nth % 3] ?? holding[0] ?? [];
  });
}

/** Nothing is known of a window that begins before the day of the first event. */
function isBefore({ from }: InstantRange, events: readonly WebsiteObservedEvent[], zone: string): boolean {
  const first = Math.min(...events.map(({ at }) => at));
  return dateOf(from, zone) < dateOf(first, zone);
}

const requestOf = ({ from, to }: InstantRange, timezone: string, filters: readonly NaiveFilter[]): NaiveRequest => ({
  from,
  to,
  startDate: dateOf(from, timezone),
  endDate: dateOf(to - 1, timezone),
  timezone,
  granularity: 'hourly',
  filters,
  now: to,
});

function naiveFigure(figure: AlertFigure, selection: Selection, condition: Parameters<typeof conversionsIn>[1]) {
  const { views, custom, errors, vitals, sessions } = selection;
  switch (figure) {
    case 'pageviews':
      return views.length;
    case 'visitors':
      return distinct(views.map(({ event }) => event.data.visitorId));
    case 'custom_events':
      return custom.length;
    case 'errors':
      return errors.length;
    case 'conversions':
      return conversionsIn(selection, condition).length;
    case 'bounce_rate':
      return sessions.length === 0 ? null : percent(sessions.filter(({ bounced }) => bounced).length, sessions.length);
    case 'session_duration': {
      const ms = median(sessions.map(({ duration }) => duration));
      return ms === null ? null : ms / 1_000;
    }
    case 'clicks':
      throw new Error('Clicks are of links.');
    case 'lcp':
    case 'fcp':
    case 'cls':
    case 'inp':
    case 'ttfb': {
      const values = vitals.flatMap(({ event: { data } }) => (data.metric === VITALS[figure] ? [data.value] : []));
      return values.sort((a, b) => a - b)[Math.ceil(0.75 * values.length) - 1] ?? null;
    }
  }
}

const exactly = (figure: number | null): unknown => (figure === null ? null : expect.closeTo(figure, digits(figure)));
/** Percentiles are within 1 %. */
const digits = (figure: number) => (figure > 0 ? Math.floor(-Math.log10(figure * 0.02)) : 2);

let names = 0;
async function created(path: string, body: object): Promise<string> {
  const { organizationId, headers } = owner;
  const sent = { organizationId, name: `Thing ${++names}`, ...body };
  return (await ok(api, `POST ${path}`, { body: sent, headers })).body.id as string;
}

let api: TestApi;
let owner: Owner;
let projector: DirectProjector;
beforeAll(async () => {
  api = await startTestApi();
  projector = await projectInto(api.settings.databaseUrl);
  owner = await ownerWithWebsite(api);
});
afterAll(async () => {
  await projector.close();
  await api.close();
});
