import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useMemo } from 'react';
import { websiteQuery } from '../../../api/website-query';
import { Tooltip } from '../../../components/tooltip';
import { AnswerMenu } from '../lists/answer-menu';
import { Answered } from '../lists/answered';
import { formatFigure } from '../format';
import { NoRows } from '../lists/full-list';
import { SeriesChart } from '../series-chart';
import { granularityOf } from '../view/view-scope';
import type { useView } from '../view/use-view';

const route = getRouteApi('/signed-in/organizations/$organizationId/websites/$websiteId/$report');

/** What a metric is, and up to where its 75th percentile counts as good, and as poor from where (web.dev/vitals). */
const METRICS: Readonly<Record<string, readonly [meaning: string, good: number, poor: number]>> = {
  LCP: ['Until the largest text or picture is shown, in ms.', 2_500, 4_000],
  INP: ['Until the page reacts to what a visitor does, in ms.', 200, 500],
  CLS: ['How much the content moves by itself: a score.', 0.1, 0.25],
  FCP: ['Until the first content is shown, in ms.', 1_800, 3_000],
  TTFB: ['Until the first byte of the document arrives, in ms.', 800, 1_800],
};

const ratingOf = (metric: string, p75: number | null): 'good' | 'fair' | 'poor' | undefined => {
  const [, good, poor] = METRICS[metric] ?? [];
  if (p75 === null || good === undefined || poor === undefined) return undefined;
  return p75 <= good ? 'good' : p75 > poor ? 'poor' : 'fair';
};

/** The 75th percentile of each metric, and the course of one of them. */
export function Vitals({ view }: { readonly view: ReturnType<typeof useView> }) {
  const { metric: wanted } = route.useSearch();
  const overview = useQuery(websiteQuery(view.scope, { name: 'vitals_overview' }));
  const series = { name: 'vitals_time_series', granularity: granularityOf(view.search) } as const;
  const course = useQuery(websiteQuery(view.scope, series));
  const drawn = wanted ?? overview.data?.rows[0]?.metric_name ?? '';
  const all = course.data?.rows;
  const rows = useMemo(() => (all ?? []).filter(({ metric_name: metric }) => metric === drawn), [all, drawn]);
  return (
    <section className="query-panel overview" aria-label="Web vitals">
      <Answered query={overview} label="the vitals" lines={2}>
        {({ rows: metrics, meta }) =>
          metrics.length === 0 ? (
            <NoRows notes={meta.notes} />
          ) : (
            <dl className="figures">
              {metrics.map(({ metric_name: metric, p75, samples }) => (
                <div key={metric} className={metric === drawn ? 'figure drawn' : 'figure'}>
                  <dt>
                    <Tooltip
                      text={`${METRICS[metric]?.[0] ?? 'As pages report it.'} 75 % of the samples do not exceed it. Within 1 %.`}
                    >
                      {metric}
                    </Tooltip>
                  </dt>
                  <dd>
                    <button
                      type="button"
                      className="figure-value"
                      aria-pressed={metric === drawn}
                      onClick={() => view.change({ metric })}
                    >
                      ≈ {formatFigure('number', p75)}
                    </button>
                    <span className={`figure-before rating ${ratingOf(metric, p75) ?? ''}`}>
                      {RATINGS[ratingOf(metric, p75) ?? 'none']}
                      <span className="soft">
                        {formatFigure('count', samples)} {samples === 1 ? 'sample' : 'samples'}
                      </span>
                    </span>
                  </dd>
                </div>
              ))}
            </dl>
          )
        }
      </Answered>
      {drawn !== '' && (
        <Answered query={course} label="the chart" lines={8}>
          {() => (
            <SeriesChart
              title={`75th percentile of ${drawn} over time`}
              rows={rows}
              field="p75"
              onSelect={(from, to) => view.select({ preset: undefined, from, to })}
              actions={<AnswerMenu title="the series" scope={view.scope} parameter={series} />}
            />
          )}
        </Answered>
      )}
      <footer className="query-panel-foot">
        <span className="soft">p75 of all visits</span>
        <AnswerMenu title="the vitals" scope={view.scope} parameter={{ name: 'vitals_overview' }} />
      </footer>
    </section>
  );
}

const RATINGS = { good: 'Good', fair: 'Needs improvement', poor: 'Poor', none: '' } as const;
