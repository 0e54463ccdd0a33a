import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { websiteQuery } from '../../../api/website-query';
import { EmptyState } from '../../../components/empty-state';
import { PageHeader } from '../../../components/page-header';
import { AnswerMenu } from '../lists/answer-menu';
import { Answered } from '../lists/answered';
import { formatTime } from '../format';
import { Pager } from '../lists/pager';
import { useView } from '../view/use-view';
import { BackLink } from './back-link';
import { TimeLine } from './time-line';

const route = getRouteApi('/signed-in/organizations/$organizationId/websites/$websiteId/sessions/$sessionId');

const ROWS = 500;

/** One session, event by event, whatever range the address has. */
export function SessionPage() {
  const view = useView();
  const { sessionId } = route.useParams();
  const { page = 1 } = route.useSearch();
  const { timezone } = view.search;
  const scope = {
    website: view.websiteId,
    filters: [{ field: 'session_id', op: 'eq' as const, value: sessionId }],
    ...(timezone === undefined ? {} : { timezone }),
  };
  const parameter = { name: 'session_events' } as const;
  const query = useQuery(websiteQuery({ ...scope, limit: ROWS, page }, parameter));
  const total = query.data?.total ?? 0;
  const [first] = query.data?.rows ?? [];
  return (
    <div className="page website">
      <PageHeader
        title={`Session ${sessionId.slice(0, 8)}`}
        description={
          <>
            {view.website.name} · {first && `from ${formatTime(first.time, query.data?.meta.timezone ?? 'UTC')} · `}
            <BackLink view={view} report="sessions" />
          </>
        }
      />
      <section className="query-panel full" aria-label="Events of the session">
        <Answered query={query} label="the session" lines={8}>
          {({ rows, meta }) =>
            rows.length === 0 ? (
              <EmptyState title="There is no such session">
                <p>Its events were not recorded, or are kept no longer.</p>
              </EmptyState>
            ) : (
              <TimeLine events={rows} timeZone={meta.timezone} />
            )
          }
        </Answered>
        <footer className="query-panel-foot">
          <Pager page={page} rows={ROWS} total={total} view={view} />
          <AnswerMenu title="the session" scope={scope} parameter={parameter} />
        </footer>
      </section>
    </div>
  );
}
