import { useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useEffect, useState, type ReactNode } from 'react';
import type { QueryAnswer } from '@ledgerline/client';
import { messageOf } from '../../../api/failure';
import { refreshAnswers } from '../../../api/figures';
import { Button } from '../../../components/button';
import { Popover } from '../../../components/overlays';
import { Notice, Skeleton } from '../../../components/states';
import { notify } from '../../../components/toasts';
import { formatFigure, formatMinute } from '../format';
import { FilterBar } from './filter-bar';
import { RangePicker, ViewOptions } from './range-picker';
import type { Selection } from './use-view';
import { isOver } from './view-search';

interface ViewBarProps {
  readonly view: Selection;
  /** The range and freshness of what is shown, once it is there. */
  readonly meta: Meta | undefined;
  /** True if all of the page is refreshed by itself; the live visitors are on every page. */
  readonly isLive: boolean;
  /** Shows what happens just now, beside until when the figures are. */
  readonly state?: ReactNode;
  /** Before the filters that can be removed. */
  readonly children?: ReactNode;
}

/** The range and the filters of a page of figures, and until when these are. */
export const ViewBar = ({ view, meta, isLive, state, children }: ViewBarProps) => (
  <>
    <div className="view-bar" role="group" aria-label="Range and filters" tabIndex={-1}>
      <RangePicker view={view} />
      <ViewOptions view={view} />
      {children}
      <FilterBar view={view} fields={view.fields} />
      <div className="view-bar view-state">
        {state}
        {meta ? (
          <AnswerState meta={meta} />
        ) : (
          <span className="button" aria-hidden="true">
            Updated …
          </span>
        )}
        <Refresh meta={meta} isLive={isLive} />
      </div>
    </div>
    {meta && <Warnings notes={meta.notes} />}
  </>
);

/** Returns whether a note says that events are missing, or that figures are of a past moment; others are beside the figures. */
const isWarning = (note: string): boolean => /^The (projection|snapshot)/.test(note);

export const Warnings = ({ notes }: { readonly notes: readonly string[] }) =>
  notes.filter(isWarning).map((note) => (
    <Notice key={note} tone="warning">
      {note}
    </Notice>
  ));

type Meta = QueryAnswer['meta'];

const LIVE_MS = 10_000;

/** Asks again for what is shown: every few seconds while the page is looked at, and when it is pressed. */
function Refresh({ meta, isLive }: Pick<ViewBarProps, 'meta' | 'isLive'>) {
  const queryClient = useQueryClient();
  const [isBusy, setBusy] = useState(false);
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState !== 'visible') return;
      const isAll = isLive && meta !== undefined && !isOver(meta);
      const isWanted = (name: string, hasAnswer: boolean) => hasAnswer && (isAll || name === 'active_stats');
      void refreshAnswers(queryClient, isWanted).catch(() => undefined); // the figures stay, and say as of when they are
    }, LIVE_MS);
    return () => clearInterval(timer);
  }, [queryClient, meta, isLive]);
  const refresh = () => {
    if (!navigator.onLine) {
      notify('Not refreshed: the browser is offline');
      return;
    }
    setBusy(true);
    void refreshAnswers(queryClient)
      .catch((error: unknown) => notify(`Not refreshed: ${messageOf(error)}`))
      .finally(() => setBusy(false));
  };
  return (
    <Button isBusy={isBusy} onClick={refresh}>
      Refresh
    </Button>
  );
}

/** Loaded when it is first opened. */
const AnswerFacts = lazy(async () => ({ default: (await import('./answer-facts.menu')).AnswerFacts }));

/** From here on the figures lack events that people would expect in them. */
const LATE_MS = 10_000;

/** Until when the figures are, how exact they are, and what the api adds to them. */
const AnswerState = ({ meta }: { readonly meta: Meta }) => (
  <Popover
    shown={
      <>
        Updated {formatMinute(meta.asOf, meta.timezone)}
        {meta.lagMs < LATE_MS ? '' : ` · ${formatFigure('seconds', meta.lagMs / 1_000)} behind`}
      </>
    }
    label="About these figures"
  >
    {() => (
      <Suspense fallback={<Skeleton lines={6} label="the details" />}>
        <AnswerFacts meta={meta} />
      </Suspense>
    )}
  </Popover>
);
