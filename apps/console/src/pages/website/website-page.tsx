import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { QueryAnswer, RowOf } from '@ledgerline/client';
import { FailedParameter } from '../../api/failure';
import { figuresQuery, refreshAnswers, type QueryScope } from '../../api/figures';
import { PageHeader } from '../../components/page';
import { ErrorState } from '../../components/states';
import { GoalChoice } from './goals/goal-choice';
import { FailureSaid } from './lists/answer';
import { SavedViewChoice } from './saved-views/saved-view-choice';
import { SegmentChoice } from './segments/segment-choice';
import type { Selection, useView } from './view/use-view';
import { ViewBar } from './view/view-bar';

interface WebsitePageProps {
  readonly title: string;
  /** Without it the title is only read out: the name of the website stands above. */
  readonly lead?: ReactNode;
  /** Buttons that act on what the page is about. */
  readonly actions?: ReactNode;
  readonly view: ReturnType<typeof useView>;
  /** The range and freshness of what a page shows that refreshes itself, once it is there. */
  readonly meta?: QueryAnswer['meta'] | undefined;
  readonly isLive?: boolean;
  readonly children: ReactNode;
}

/** A page of a website with figures: the range and filters that all of them share. */
export function WebsitePage({ title, lead, actions, view, meta, isLive = false, children }: WebsitePageProps) {
  const { data } = useQuery(figuresQuery(view.scope, { name: 'active_stats' }));
  return (
    <div className="page analytics">
      <PageHeader title={title} description={lead} actions={actions} isHidden={lead === undefined} />
      <ViewBar
        view={view}
        meta={isLive ? meta : data?.meta}
        isLive={isLive}
        state={<VisitorsNow active={data?.rows[0]} />}
      >
        <SavedViewChoice view={view} />
        <SegmentChoice view={view} />
        <GoalChoice view={view} />
      </ViewBar>
      <SaidOnce scope={view.scope}>{children}</SaidOnce>
    </div>
  );
}

interface SaidOnceProps {
  readonly scope: QueryScope;
  readonly children: ReactNode;
}

/** Figures of one request: where all of it failed, that is said above them, once. */
export function SaidOnce({ scope, children }: SaidOnceProps) {
  const { data, error } = useQuery(figuresQuery(scope, { name: 'active_stats' }));
  const queryClient = useQueryClient();
  const failure = data === undefined && !(error instanceof FailedParameter) ? error : null;
  const retry = () => void refreshAnswers(queryClient).catch(() => undefined); // it is shown here again
  return (
    <FailureSaid value={failure !== null}>
      {failure && <ErrorState error={failure} onRetry={retry} />}
      {children}
    </FailureSaid>
  );
}

/** Visitors of the last five minutes. */
export function LiveVisitors({ view }: { readonly view: Pick<Selection, 'scope'> }) {
  const { data } = useQuery(figuresQuery(view.scope, { name: 'active_stats' }));
  return <VisitorsNow active={data?.rows[0]} />;
}

/** Undefined until they are known. */
export function VisitorsNow({ active }: { readonly active: RowOf<'active_stats'> | undefined }) {
  return (
    <p className={active?.active_users ? 'live active' : 'live'} title="With any event in the last five minutes">
      {active ? (
        <>
          <b>{active.active_users}</b> {active.active_users === 1 ? 'visitor' : 'visitors'} now
        </>
      ) : (
        <span className="soft">…</span>
      )}
    </p>
  );
}
