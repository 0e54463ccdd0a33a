import type { RowOf } from '@ledgerline/client';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Info } from 'lucide';
import { useMemo } from 'react';
import { websiteQuery } from '../../../api/website-query';
import { Icon } from '../../../components/icon';
import { Tooltip } from '../../../components/overlays';
import { SeriesChart } from '../figures';
import { formatFigure } from '../format';
import { Answered, AnswerMenu } from '../lists/answer';
import { NoRows } from '../lists/no-rows';
import type { useView } from '../view/use-view';
import { granularityOf } from '../view/view-scope';
import { describeVital, formatVital, RATINGS, ratingOf, VITALS } from './vital-metrics';

const route = getRouteApi('/signed-in/organizations/$organizationId/websites/$websiteId/$report');

/** The 75th percentile of each metric, and the course of one of them. */
export function Vitals({ view }: { readonly view: ReturnType<typeof useView> }) {
  const { metric: wanted } = route.useSearch();
  const overview = useQuery(websiteQuery(view.scope, { name: 'vitals_overview' }));
  const series = { name: 'vitals_time_series', granularity: granularityOf(view.search) } as const;
  const course = useQuery(websiteQuery(view.scope, series));
  const drawn = wanted ?? (overview.data && inOrder(overview.data.rows)[0]?.metric_name) ?? '';
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
              {inOrder(metrics).map(({ metric_name: metric, p75, samples }) => (
                <div key={metric} className={metric === drawn ? 'figure drawn' : 'figure'}>
                  <dt>
                    {metric}
                    <Tooltip
                      label={`About ${metric}`}
                      text={`${describeVital(metric)} 75 % of the samples do not exceed it. Within 1 %.`}
                    >
                      <Icon of={Info} />
                    </Tooltip>
                  </dt>
                  <dd>
                    <button
                      type="button"
                      className="figure-value"
                      aria-pressed={metric === drawn}
                      onClick={() => view.change({ metric })}
                    >
                      ≈ {formatVital(metric, p75)}
                    </button>
                    <span className="figure-before rating">
                      <Rating metric={metric} p75={p75} />
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
          {({ meta }) => (
            <SeriesChart
              timeZone={meta.timezone}
              title={`75th percentile of ${drawn} over time`}
              rows={rows}
              field="p75"
              onSelect={(from, to) => view.select({ preset: undefined, from, to })}
              actions={<AnswerMenu title="the series" scope={view.scope} parameter={series} />}
              about={view.about}
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

function Rating({ metric, p75 }: { readonly metric: string; readonly p75: number | null }) {
  const rating = ratingOf(metric, p75);
  return rating ? <span className={`rated ${rating}`}>{RATINGS[rating]}</span> : null;
}

const ORDER = [...VITALS.keys()];

/** The Core Web Vitals first. */
const inOrder = (rows: readonly RowOf<'vitals_overview'>[]): readonly RowOf<'vitals_overview'>[] =>
  rows.toSorted((one, other) => placeOf(one.metric_name) - placeOf(other.metric_name));

const placeOf = (metric: string): number => (ORDER.includes(metric) ? ORDER.indexOf(metric) : ORDER.length);
