import type { QueryAnswer } from '@ledgerline/client';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { messageOf } from '../../api/failure';
import { refreshAnswers } from '../../api/website-query';
import { Button } from '../../components/button';
import { notify } from '../../components/toasts';
import { isOver } from './view/view-search';

type Meta = QueryAnswer['meta'];

const LIVE_MS = 10_000;

interface RefreshProps {
  /** Of what is shown, once it is there. */
  readonly meta: Meta | undefined;
  /** Whether all of the page is refreshed by itself; the live visitors are on every page. */
  readonly isLive: boolean;
}

/** Asks again for what is shown: every few seconds while the page is looked at, and when it is pressed. */
export function Refresh({ meta, isLive }: RefreshProps) {
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
      .catch((error: unknown) => notify(`Not refreshed: ${messageOf(error as Error)}`)) // the client throws nothing else
      .finally(() => setBusy(false));
  };
  return (
    <Button isBusy={isBusy} onClick={refresh}>
      Refresh
    </Button>
  );
}
