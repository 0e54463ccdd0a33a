import type { QueryAnswer } from '@ledgerline/client';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useRef, type ReactNode } from 'react';
import { websiteQuery } from '../../api/website-query';
import { Notice } from '../../components/notice';
import { PageHeader } from '../../components/page-header';
import { Refresh } from './refresh';
import { REPORTS } from './report/reports';
import { AnswerState } from './view/answer-state';
import { FilterBar } from './view/filter-bar';
import { RangePicker } from './view/range-picker';
import { sharedSearch, type useView } from './view/use-view';
import { ViewOptions } from './view/view-options';

interface WebsitePageProps {
  readonly title: string;
  readonly lead: ReactNode;
  readonly view: ReturnType<typeof useView>;
  /** Of what is shown, once it is there. */
  readonly meta?: QueryAnswer['meta'] | undefined;
  /** Whether it refreshes itself. */
  readonly isLive?: boolean;
  readonly children: ReactNode;
}

/** The frame of every page of a website: its pages, and the range and filters that they share. */
export const WebsitePage = ({ title, lead, view, meta, isLive = false, children }: WebsitePageProps) => (
  <div className="page website">
    <PageHeader title={title} description={lead} actions={<LiveVisitors view={view} />} />
    <WebsitePages view={view} />
    <div className="view-bar" role="group" aria-label="Range and filters" tabIndex={-1}>
      <RangePicker view={view} />
      <ViewOptions view={view} />
      <FilterBar view={view} />
      <span className="gap" />
      {meta ? (
        <AnswerState meta={meta} />
      ) : (
        <span className="button" aria-hidden="true">
          As of …
        </span>
      )}
      <Refresh meta={meta} isLive={isLive} />
    </div>
    {meta?.notes.filter(isWarning).map((note) => (
      <Notice key={note} tone="warning">
        {note}
      </Notice>
    ))}
    {children}
  </div>
);

/** That events are missing; other notes are beside the figures. */
const isWarning = (note: string): boolean => note.startsWith('The projection');

/** Visitors of the last five minutes. */
function LiveVisitors({ view }: { readonly view: ReturnType<typeof useView> }) {
  const { data } = useQuery(websiteQuery(view.scope, { name: 'active_stats' }));
  const [active] = data?.rows ?? [];
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

function WebsitePages({ view: { organizationId, websiteId, search } }: { readonly view: ReturnType<typeof useView> }) {
  const params = { organizationId, websiteId };
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => {
    const show = () => list.current?.querySelector('.active')?.scrollIntoView({ block: 'nearest', inline: 'center' });
    const frame = requestAnimationFrame(show); // the layout of the frame is the only one then
    return () => cancelAnimationFrame(frame);
  }, []);
  return (
    <nav className="sub-navigation" aria-label="Pages of the website">
      <ul ref={list}>
        <li>
          <Link
            to="/organizations/$organizationId/websites/$websiteId"
            params={params}
            search={sharedSearch(search)}
            activeOptions={{ exact: true, includeSearch: false }}
          >
            Dashboard
          </Link>
        </li>
        {REPORTS.map(({ path, title }) => (
          <li key={path}>
            <Link
              to="/organizations/$organizationId/websites/$websiteId/$report"
              params={{ ...params, report: path }}
              search={sharedSearch(search)}
              activeOptions={{ includeSearch: false }}
            >
              {title}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
