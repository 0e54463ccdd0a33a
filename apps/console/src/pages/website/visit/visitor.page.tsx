import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Host } from '../../../addresses/address';
import { websiteQuery } from '../../../api/website-query';
import { EmptyState } from '../../../components/empty-state';
import { Figures } from '../figures';
import { AnswerMenu } from '../lists/answer-menu';
import { Answered } from '../lists/answered';
import type { AnyRow } from '../lists/cell';
import { formatTime } from '../format';
import { PAGE_ROWS } from '../lists/list-search';
import { ListTable } from '../lists/list-table';
import { listNamed } from '../lists/lists';
import { Pager } from '../lists/pager';
import { useView } from '../view/use-view';
import { WebsitePage } from '../website-page';
import { BackLink } from './back-link';

const route = getRouteApi('/signed-in/organizations/$organizationId/websites/$websiteId/visitors/$visitorId');

const FIGURES = ['session_count', 'total_events', 'unique_pages', 'custom_event_count', 'total_duration'];

/** One visitor in the range, and each of their sessions. */
export function VisitorPage() {
  const view = useView();
  const { visitorId } = route.useParams();
  const { page = 1 } = route.useSearch();
  const own = { field: 'visitor_id', op: 'eq' as const, value: visitorId };
  const scope = { ...view.scope, filters: [...view.filters, own] };
  const detail = useQuery(websiteQuery(scope, { name: 'profile_detail' }));
  const sessions = useQuery(websiteQuery({ ...scope, limit: PAGE_ROWS, page }, { name: 'profile_sessions' }));
  const [row] = detail.data?.rows ?? [];
  const total = sessions.data?.total ?? 0;
  const list = listNamed('session_list');
  return (
    <WebsitePage
      title={row?.display_name ?? `Visitor ${visitorId.slice(0, 8)}`}
      lead={
        <>
          {view.website.name} · <BackLink view={view} report="visitors" />
        </>
      }
      view={view}
      meta={detail.data?.meta}
    >
      <section className="query-panel overview" aria-label="The visitor">
        <Answered query={detail} label="the visitor" lines={3}>
          {({ rows, meta }) =>
            rows[0] ? (
              <>
                <Figures label="Figures of the visitor" row={rows[0]} fields={FIGURES} />
                <Attributes row={rows[0]} timeZone={meta.timezone} />
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

const TEXTS = [
  ['profile_id', 'Profile'],
  ['country', 'Country'],
  ['region', 'Region'],
  ['referrer', 'Referrer'],
  ['device_type', 'Device'],
  ['browser_name', 'Browser'],
  ['os_name', 'System'],
] as const;

/** What is said of the newest session, and when the visitor was there. */
const Attributes = ({ row, timeZone }: { readonly row: AnyRow; readonly timeZone: string }) => (
  <dl className="view-facts wide">
    {TEXTS.map(([field, name]) => {
      const value = row[field];
      return typeof value === 'string' && value !== '' ? (
        <Fact key={field} name={name} value={field === 'referrer' ? <Host raw={value} /> : value} />
      ) : null;
    })}
    <Fact name="First event" value={formatTime(row['first_visit'], timeZone)} />
    <Fact name="Last event" value={formatTime(row['last_visit'], timeZone)} />
  </dl>
);

const Fact = ({ name, value }: { readonly name: string; readonly value: ReactNode }) => (
  <div>
    <dt>{name}</dt>
    <dd>{value}</dd>
  </div>
);
