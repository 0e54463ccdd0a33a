import { useQuery } from '@tanstack/react-query';
import { Link, getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Host } from '../../../addresses/address';
import { figuresQuery } from '../../../api/figures';
import { EmptyState } from '../../../components/states';
import { ValueIcon } from '../../../marks/mark';
import { Figures } from '../figures';
import { formatTime } from '../format';
import { AnswerMenu, Answered } from '../lists/answer';
import type { AnyRow } from '../lists/cell';
import { Pager } from '../lists/full-list';
import { ListTable } from '../lists/list-table';
import { listNamed } from '../lists/lists';
import { reportAt } from '../report/reports';
import { sharedSearch, useView } from '../view/use-view';
import { PAGE_ROWS } from '../view/view-search';
import { WebsitePage } from '../website-page';
import { VisitorData } from './visitor-data';

const TEXTS = [
  ['profile_id', 'Profile'],
  ['country', 'Country'],
  ['region', 'Region'],
  ['referrer', 'Referrer'],
  ['device_type', 'Device'],
  ['browser_name', 'Browser'],
  ['os_name', 'System'],
] as const;

interface VisitFactsProps {
  /** The row of a visitor or a session. */
  readonly row: AnyRow;
  /** Before what the row says of them. */
  readonly first?: readonly (readonly [name: string, value: ReactNode])[];
  readonly last: readonly (readonly [name: string, value: ReactNode])[];
}

/** Where a visitor came from, and with what. */
export const VisitFacts = ({ row, first = [], last }: VisitFactsProps) => (
  <dl className="facts">
    {[...first, ...textsOf(row), ...last].map(([name, value]) => (
      <div key={name}>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
);

const textsOf = (row: AnyRow) =>
  TEXTS.flatMap(([field, name]) => {
    const value = row[field];
    if (typeof value !== 'string' || value === '') return [];
    const shown = (
      <span className="marked">
        <ValueIcon field={field} value={value} />
        {field === 'referrer' ? <Host raw={value} /> : value}
      </span>
    );
    return [[name, shown] as const];
  });

const route = getRouteApi('/signed-in/organizations/$organizationId/websites/$websiteId/visitors/$visitorId');

const FIGURES = ['session_count', 'total_events', 'unique_pages', 'custom_event_count', 'total_duration'];

/** One visitor in the range, and each of their sessions. */
export function VisitorPage() {
  const view = useView();
  const { visitorId } = route.useParams();
  const { page = 1 } = route.useSearch();
  const own = { field: 'visitor_id', op: 'eq' as const, value: visitorId };
  const scope = { ...view.scope, filters: [...view.filters, own] };
  const detail = useQuery(figuresQuery(scope, { name: 'profile_detail' }));
  const sessions = useQuery(figuresQuery({ ...scope, limit: PAGE_ROWS, page }, { name: 'profile_sessions' }));
  const [row] = detail.data?.rows ?? [];
  const total = sessions.data?.total ?? 0;
  const list = listNamed('session_list');
  return (
    <WebsitePage
      title={row?.display_name ?? `Visitor ${visitorId.slice(0, 8)}`}
      lead={
        <>
          <BackLink view={view} report="visitors" />
          <VisitorData
            organizationId={view.organizationId}
            websiteId={view.websiteId}
            visitorId={visitorId}
            profileId={row?.profile_id}
          />
        </>
      }
      view={view}
    >
      <section className="query-panel overview" aria-label="The visitor">
        <Answered query={detail} label="the visitor" lines={3}>
          {({ rows, meta }) =>
            rows[0] ? (
              <>
                <Figures label="Figures of the visitor" row={rows[0]} fields={FIGURES} />
                <VisitFacts
                  row={rows[0]}
                  last={[
                    ['First event', formatTime(rows[0].first_visit, meta.timezone)],
                    ['Last event', formatTime(rows[0].last_visit, meta.timezone)],
                  ]}
                />
              </>
            ) : (
              <EmptyState title="No session of this visitor in the range">
                <p>Choose a longer range, or take filters out.</p>
              </EmptyState>
            )
          }
        </Answered>
      </section>
      <section className="query-panel full" aria-label="Sessions">
        <Answered query={sessions} label="the sessions" lines={6}>
          {({ rows, meta }) => <ListTable list={list} rows={rows} view={view} timeZone={meta.timezone} />}
        </Answered>
        <footer className="query-panel-foot">
          <Pager page={page} rows={PAGE_ROWS} total={total} view={view} />
          <AnswerMenu title="the sessions" scope={scope} parameter={{ name: 'profile_sessions' }} />
        </footer>
      </section>
    </WebsitePage>
  );
}

interface BackLinkProps {
  readonly view: ReturnType<typeof useView>;
  readonly report: 'sessions' | 'visitors';
}

/** From one thing to the list of all of them, in the same range. */
export const BackLink = ({ view: { organizationId, websiteId, search }, report }: BackLinkProps) => (
  <Link
    to="/organizations/$organizationId/websites/$websiteId/$report"
    params={{ organizationId, websiteId, report }}
    search={sharedSearch(search)}
  >
    All {reportAt(report)?.title.toLowerCase()}
  </Link>
);
