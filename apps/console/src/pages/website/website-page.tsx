import type { QueryAnswer, RowOf } from '@ledgerline/client';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { figuresQuery } from '../../api/figures';
import { PageHeader } from '../../components/page';
import type { Selection, useView } from './view/use-view';
import { SavedViewChoice } from './saved-views/saved-view-choice';
import { SegmentChoice } from './segments/segment-choice';
import { ViewBar } from './view/view-bar';

interface WebsitePageProps {
  readonly title: string;
  readonly lead: ReactNode;
  readonly view: ReturnType<typeof useView>;
  /** Of a page that refreshes itself: of what is shown, once it is there. */
  readonly meta?: QueryAnswer['meta'] | undefined;
  readonly isLive?: boolean;
  readonly children: ReactNode;
}

/** A page of a website with figures: the range and filters that all of them share. */
export function WebsitePage({ title, lead, view, meta, isLive = false, children }: WebsitePageProps) {
  const { data } = useQuery(figuresQuery(view.scope, { name: 'active_stats' }));
  return (
    <div className="page analytics">
      <PageHeader title={title} description={lead} actions={<LiveVisitors view={view} />} />
      <ViewBar view={view} meta={isLive ? meta : data?.meta} isLive={isLive}>
        <SavedViewChoice view={view} />
        <SegmentChoice view={view} />
      </ViewBar>
      {children}
    </div>
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
