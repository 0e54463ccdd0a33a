import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { RowOf } from '@ledgerline/client';
import { figuresQuery } from '../../../api/figures';
import { PageHeader } from '../../../components/page';
import { EmptyState } from '../../../components/states';
import { formatFigure, formatTime } from '../format';
import { Answered, AnswerMenu } from '../lists/answer';
import { Pager } from '../lists/full-list';
import { sharedSearch, useView } from '../view/use-view';
import { TimeLine } from './time-line';
import { BackLink, VisitFacts } from './visitor.page';

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
  const query = useQuery(figuresQuery({ ...scope, limit: ROWS, page }, parameter));
  const total = query.data?.total ?? 0;
  const [first] = query.data?.rows ?? [];
  const { own, previous, next } = useSessionsOfVisitor(view.websiteId, first);
  return (
    <div className="page analytics">
      <PageHeader
        title={`Session ${sessionId.slice(0, 8)}`}
        description={
          <>
            {first && `from ${formatTime(first.time, query.data?.meta.timezone ?? 'UTC')} · `}
            <BackLink view={view} report="sessions" />
          </>
        }
        actions={
          <>
            <SessionLink view={view} session={previous} text="‹ Previous session" />
            <SessionLink view={view} session={next} text="Next session ›" />
          </>
        }
      />
      {first && (
        <section className="query-panel" aria-label="The session">
          <VisitFacts
            row={own ?? {}}
            first={[['Visitor', <VisitorLink key="visitor" view={view} visitorId={first.visitor_id} />]]}
            last={[
              ['Duration', formatFigure('seconds', own?.duration)],
              ['Page views', formatFigure('count', own?.page_views)],
              ['Events', formatFigure('count', total)],
            ]}
          />
        </section>
      )}
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

type Session = RowOf<'profile_sessions'>;

const DAY_MS = 86_400_000;
/** In days, before and after a session. */
const REACH = 365;
/** On either side; more of one day are not looked through. */
const NEIGHBOURS = 50;

const dayFrom = (time: string, days: number): string =>
  new Date(Date.parse(time) + days * DAY_MS).toISOString().slice(0, 10);

/** The session of an event as lists have it, and the ones before and after it of the same visitor. */
function useSessionsOfVisitor(website: string, event: RowOf<'session_events'> | undefined) {
  const { session_id: sessionId, visitor_id: visitor, time = '1970-01-02' } = event ?? {};
  const filters = [{ field: 'visitor_id', op: 'eq' as const, value: visitor ?? '' }];
  const scope = { website, filters, limit: NEIGHBOURS, sortBy: 'first_visit' };
  const parameter = { name: 'profile_sessions' as const };
  const until = { ...scope, startDate: dayFrom(time, -REACH), endDate: dayFrom(time, 1), sortOrder: 'desc' as const };
  const since = { ...scope, startDate: dayFrom(time, -1), endDate: dayFrom(time, REACH), sortOrder: 'asc' as const };
  const isKnown = visitor != null;
  const { data: before } = useQuery({ ...figuresQuery(until, parameter), enabled: isKnown });
  const { data: after } = useQuery({ ...figuresQuery(since, parameter), enabled: isKnown });
  const sessions = [...(before?.rows ?? []), ...(after?.rows ?? [])];
  const own = isKnown ? sessions.find((each) => each.session_id === sessionId) : undefined;
  if (!own) return {};
  return {
    own,
    previous: before?.rows.find((each) => each.first_visit < own.first_visit),
    next: after?.rows.find((each) => each.first_visit > own.first_visit),
  };
}

interface SessionLinkProps {
  readonly view: ReturnType<typeof useView>;
  /** Undefined where there is none. */
  readonly session: Session | undefined;
  readonly text: string;
}

const SessionLink = ({ view: { organizationId, websiteId, search }, session, text }: SessionLinkProps) =>
  session && (
    <Link
      className="button"
      to="/organizations/$organizationId/websites/$websiteId/sessions/$sessionId"
      params={{ organizationId, websiteId, sessionId: session.session_id }}
      search={sharedSearch(search)}
    >
      {text}
    </Link>
  );

interface VisitorLinkProps {
  readonly view: ReturnType<typeof useView>;
  readonly visitorId: string | null;
}

const VisitorLink = ({ view: { organizationId, websiteId, search }, visitorId }: VisitorLinkProps) =>
  visitorId === null ? (
    'Unknown'
  ) : (
    <Link
      to="/organizations/$organizationId/websites/$websiteId/visitors/$visitorId"
      params={{ organizationId, websiteId, visitorId }}
      search={sharedSearch(search)}
    >
      <code>{visitorId.slice(0, 8)}</code>
    </Link>
  );
