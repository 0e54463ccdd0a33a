import { queryOptions, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { dataOf, type QueryTypeName, type RowOf } from '@ledgerline/client';
import { client } from '../../../api/client';

/** A proxy that keeps messages back, or a process that is gone, is not waited for any longer. */
const PATIENCE_MS = 5_000;
const POLL_MS = 5_000;
/** After so long without a stream one is tried again. */
const RETRY_MS = 60_000;

const liveQuery = (websiteId: string) =>
  queryOptions({
    queryKey: ['live', websiteId],
    queryFn: ({ signal }) => dataOf(client.GET('/v1/live', { params: { query: { website_id: websiteId } }, signal })),
  });

export type LiveData = Awaited<ReturnType<NonNullable<ReturnType<typeof liveQuery>['queryFn']>>>;

/** The rows of one query type in an answer. */
export function liveRowsIn<Name extends QueryTypeName>({ data }: LiveData, name: Name): readonly RowOf<Name>[] {
  const rows: readonly unknown[] = data.find(({ parameter }) => parameter === name)?.data ?? [];
  return rows as readonly RowOf<Name>[]; // an entry has the rows of its type
}

interface Streamed {
  readonly answer: LiveData;
  /** Epoch ms. */
  readonly at: number;
}

/** Returns what happens on a website just now: by a stream, and while there is none by asking every few seconds. */
export function useLive(websiteId: string, isPaused: boolean) {
  const [streamed, setStreamed] = useState<Streamed>();
  const [isStreaming, setStreaming] = useState(false);
  const isVisible = useVisibility();
  const isWanted = isVisible && !isPaused;
  useEffect(() => {
    if (!isWanted) return undefined;
    const end = stayConnected(websiteId, {
      onMessage: (message) => {
        setStreamed({ answer: JSON.parse(message) as LiveData, at: Date.now() });
        setStreaming(true);
      },
      onLost: () => setStreaming(false),
    });
    return () => {
      end();
      setStreaming(false);
    };
  }, [websiteId, isWanted]);
  const polled = useQuery({
    ...liveQuery(websiteId),
    enabled: isWanted && !isStreaming,
    refetchInterval: POLL_MS,
    staleTime: POLL_MS,
  });
  const isStreamed = streamed !== undefined && (isStreaming || streamed.at > polled.dataUpdatedAt);
  const state: LiveState = isPaused ? 'paused' : isStreaming ? 'live' : polled.isError ? 'lost' : 'polled';
  return { query: polled, answer: isStreamed ? streamed.answer : polled.data, state };
}

export type LiveState = 'live' | 'polled' | 'lost' | 'paused';

/** Returns whether the page is visible: a hidden one closes its stream, as a browser allows few connections to a host. */
function useVisibility(): boolean {
  const [isVisible, setVisible] = useState(document.visibilityState === 'visible');
  useEffect(() => {
    const change = () => setVisible(document.visibilityState === 'visible');
    document.addEventListener('visibilitychange', change);
    return () => document.removeEventListener('visibilitychange', change);
  }, []);
  return isVisible;
}

interface StreamEvents {
  readonly onMessage: (message: string) => void;
  readonly onLost: () => void;
}

/** Holds a stream, and tries again where there is none. Returns what ends it. */
function stayConnected(websiteId: string, { onMessage, onLost }: StreamEvents): () => void {
  let events: EventSource | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const waitFor = (ms: number, then: () => void) => {
    clearTimeout(timer);
    timer = setTimeout(then, ms);
  };
  const lose = () => {
    events?.close();
    onLost();
    waitFor(RETRY_MS, connect);
  };
  const connect = () => {
    const source = new EventSource(`/v1/live?website_id=${encodeURIComponent(websiteId)}`);
    events = source;
    source.addEventListener('message', ({ data }) => {
      clearTimeout(timer);
      onMessage(String(data));
    });
    // the browser connects again by itself unless it was refused
    source.addEventListener('error', () => {
      if (source.readyState === EventSource.CLOSED) lose();
      else waitFor(PATIENCE_MS, lose);
    });
    waitFor(PATIENCE_MS, lose);
  };
  connect();
  return () => {
    clearTimeout(timer);
    events?.close();
  };
}
