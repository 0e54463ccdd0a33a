import type { EngagementMeasured, WebsiteObservedEvent } from '@ledgerline/contracts/events/observed-events';
import { interactionsOf, naivePageVisits, numberIn, scrollOf, timeOf, type NaiveVisit } from './naive-page-visits';
import { average, distinct, median, percent, share, type NaiveRequest } from './naive-request';
import type { Selection } from './naive-selection';
import { sorted, type Row } from './naive-website-answers';

type Answer = (selection: Selection, request: NaiveRequest, events: readonly WebsiteObservedEvent[]) => Row[];

const RANGES: readonly [string, number, number][] = [
  ['0-25%', 0, 2500],
  ['25-50%', 2500, 5000],
  ['50-75%', 5000, 7500],
  ['75-100%', 7500, 10_000],
  ['100%', 10_000, Infinity],
];

const visitorsOf = (visits: NaiveVisit[]) => distinct(visits.map(({ visitor }) => visitor));
const sessionsOf = (visits: NaiveVisit[]) => new Set(visits.map(({ session }) => session)).size;
const known = (values: (number | null)[]) => values.filter((value) => value !== null);
const two = (value: number | null) => (value === null ? null : Math.round(value * 100) / 100);
const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
const seconds = (ms: number | null) => (ms === null ? null : ms / 1000);

/** Percent with two decimals. */
function averageScroll(visits: NaiveVisit[]): number | null {
  const mean = average(known(visits.map(scrollOf)));
  return mean === null ? null : Math.round(mean) / 100;
}

const pathsOf = (items: readonly { path: string }[]) => [...new Set(items.map(({ path }) => path))];

/** Returns what comes most often; of equal ones the first in code-point order. */
function top(times: readonly (readonly [text: unknown, times: number])[]): string | null {
  const counts = new Map<string, number>();
  for (const [text, count] of times) {
    if (typeof text === 'string' && count > 0) counts.set(text, (counts.get(text) ?? 0) + count);
  }
  const [first] = [...counts].sort(([a, m], [b, n]) => n - m || Buffer.compare(Buffer.from(a), Buffer.from(b)));
  return first?.[0] ?? null;
}

/** The number of views below which rows of pages are left out. */
const LEAST = 5;

/** Pages with enough selected page views. */
function pagesOf(
  views: Selection['views'],
  { minSamples = LEAST }: NaiveRequest,
): { name: string; page_views: number; visitors: number }[] {
  return pathsOf(views.map(({ event }) => event.data))
    .map((name) => views.filter(({ event }) => event.data.path === name))
    .filter((ofPage) => ofPage.length >= minSamples)
    .map((ofPage) => ({
      name: ofPage[0]!.event.data.path,
      page_views: ofPage.length,
      visitors: distinct(ofPage.map(({ event }) => event.data.visitorId)),
    }));
}

const spansOf = (spans: Selection['spans'], path: string): EngagementMeasured[] =>
  spans.map(({ event }) => event).filter(({ data }) => data.path === path);
const totalOf = (spans: EngagementMeasured[], name: string) => sum(spans.map((span) => numberIn(span, name) ?? 0));

/** Engagement with pages, straight from the definitions. */
export const engagementAnswers: Readonly<Record<string, Answer>> = {
  page_time_analysis: ({ views }, request, events) => {
    const visits = naivePageVisits(events, request).filter((visit) => timeOf(visit) !== null);
    const groups = pathsOf(visits).map((name) => ({ name, group: visits.filter(({ path }) => path === name) }));
    const everybody = distinct(views.map(({ event }) => event.data.visitorId));
    const rows = groups.map(({ name, group }) => ({
      name,
      sessions_with_time: sessionsOf(group),
      visitors: visitorsOf(group),
      median_time_on_page: seconds(median(known(group.map(timeOf)))),
      percentage: share(visitorsOf(group), everybody),
    }));
    return sorted(rows, ['sessions_with_time', 'visitors']);
  },
  scroll_depth_summary: (_, request, events) => {
    const visits = naivePageVisits(events, request).filter((visit) => scrollOf(visit) !== null);
    return [
      { avg_scroll_depth: averageScroll(visits), total_sessions: sessionsOf(visits), visitors: visitorsOf(visits) },
    ];
  },
  scroll_depth_distribution: (_, request, events) => {
    const visits = naivePageVisits(events, request);
    const rows = RANGES.map(([depth_range, from, to]) => {
      const within = visits.filter((visit) => (scrollOf(visit) ?? -1) >= from && (scrollOf(visit) ?? -1) < to);
      return { depth_range, visitors: visitorsOf(within), sessions: sessionsOf(within) };
    }).filter(({ sessions }) => sessions > 0);
    const whole = sessionsOf(visits.filter((visit) => scrollOf(visit) !== null));
    return rows.map((row) => ({ ...row, percentage: share(row.sessions, whole) }));
  },
  page_scroll_performance: ({ views }, request, events) => {
    const visits = naivePageVisits(events, request).filter((visit) => scrollOf(visit) !== null);
    const rows = pathsOf(visits).map((name) => {
      const group = visits.filter(({ path }) => path === name);
      return {
        name,
        avg_scroll_depth: averageScroll(group),
        visitors: visitorsOf(group),
        sessions: sessionsOf(group),
        pageviews: views.filter(({ event }) => event.data.path === name).length,
      };
    });
    return sorted(rows, ['visitors', 'sessions', 'pageviews']);
  },
  interaction_summary: (_, request, events) => {
    const visits = naivePageVisits(events, request);
    const interactive = sessionsOf(visits.filter((visit) => (interactionsOf(visit) ?? 0) > 0));
    const total_sessions = sessionsOf(visits);
    const interactions = sum(known(visits.map(interactionsOf)));
    return [
      {
        avg_interactions: total_sessions === 0 ? null : two(interactions / total_sessions),
        interactive_sessions: interactive,
        interaction_rate: percent(interactive, total_sessions),
        total_sessions,
      },
    ];
  },
  frustration_by_page: ({ views, spans, errors }, request) => {
    const rows = pagesOf(views, request).map((page) => {
      const here = spansOf(spans, page.name);
      const failed = errors.filter(({ event }) => event.data.path === page.name).length;
      const targets = (kind: 'rage' | 'dead') =>
        top(here.map((span) => [span.data.span[`${kind}ClickTarget`], numberIn(span, `${kind}ClickCount`) ?? 0]));
      return {
        ...page,
        rage_click_rate: percent(totalOf(here, 'rageClickCount'), page.page_views),
        dead_click_rate: percent(totalOf(here, 'deadClickCount'), page.page_views),
        error_rate: percent(failed, page.page_views),
        top_dead_click_target: targets('dead'),
        top_rage_click_target: targets('rage'),
      };
    });
    return sorted(rows, ['page_views', 'visitors']);
  },
  form_abandonment_by_page: ({ spans }, { minSamples = LEAST }) => {
    const rows = pathsOf(spans.map(({ event }) => event.data)).map((name) => {
      const here = spansOf(spans, name);
      const started = here.filter((span) => (numberIn(span, 'formFieldCount') ?? 0) > 0);
      const submitted = here.filter((span) => (numberIn(span, 'formSubmitCount') ?? 0) > 0);
      const abandoned = started.filter((span) => !submitted.includes(span));
      return {
        name,
        form_starts: started.length,
        form_submits: submitted.length,
        abandonment_rate: percent(Math.max(started.length - submitted.length, 0), started.length),
        top_abandoned_field: top(abandoned.map(({ data }) => [data.span['lastFormField'], 1])),
      };
    });
    return sorted(
      rows.filter(({ form_starts }) => form_starts >= minSamples),
      ['form_starts', 'form_submits'],
    );
  },
  engagement_quality_by_page: ({ views, spans }, request, events) => {
    const visits = naivePageVisits(events, request);
    const rows = pagesOf(views, request).map(({ name, page_views }) => {
      const here = spansOf(spans, name);
      const ofPage = visits.filter(({ path }) => path === name);
      const active = (span: EngagementMeasured) => numberIn(span, 'activeTime');
      const attentive = here.filter((span) => active(span) !== null && span.data.timeOnPage !== null);
      const attended = sum(attentive.map(({ data }) => data.timeOnPage ?? 0));
      return {
        name,
        page_views,
        avg_time_on_page: seconds(average(known(ofPage.map(timeOf)))),
        avg_active_time: average(known(here.map(active))),
        attention_ratio: attended === 0 ? null : two(sum(attentive.map((span) => active(span) ?? 0)) / attended),
        avg_scroll_depth: averageScroll(ofPage),
        avg_interactions: two(average(known(ofPage.map(interactionsOf)))),
        median_time_to_first_interaction: median(known(here.map((span) => numberIn(span, 'timeToFirstInteraction')))),
      };
    });
    return sorted(rows, ['page_views']);
  },
};
