import { waitUntil } from '../wait-until';
import type { TestApi } from './test-api';

type Row = Readonly<Record<string, unknown>>;

/** A message of a live stream. */
interface LiveMessage {
  readonly data: readonly { readonly parameter: string; readonly data: readonly Row[] }[];
}

/** Somebody who watches a live stream. */
export interface LiveClient {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly last: LiveMessage | undefined;
  /** Settled when the stream has ended, by whoever. */
  readonly ended: Promise<void>;
  /** The rows of the last message, by query type. */
  rows(): Readonly<Record<string, readonly Row[]>>;
  /** Until a message has such rows. */
  until(satisfies: (rows: Readonly<Record<string, readonly Row[]>>) => boolean): Promise<void>;
  close(): void;
}

export async function openStream(
  api: TestApi,
  path: string,
  headers: Readonly<Record<string, string>>,
): Promise<LiveClient> {
  const gone = new AbortController();
  const accept = 'text/event-stream';
  const answer = await fetch(`${await api.app.getUrl()}${path}`, {
    headers: { ...headers, accept },
    signal: gone.signal,
  });
  let last: LiveMessage | undefined;
  const read = async () => {
    let text = '';
    for await (const bytes of answer.body ?? []) {
      const messages = (text + Buffer.from(bytes as Uint8Array).toString('latin1')).split('\n\n');
      text = messages.pop() ?? '';
      for (const message of messages)
        if (message.startsWith('data: '))
          last = JSON.parse(Buffer.from(message.slice(6), 'latin1').toString()) as LiveMessage;
    }
  };
  const ended = read().catch(() => undefined);
  const rows = () => Object.fromEntries((last?.data ?? []).map(({ parameter, data }) => [parameter, data]));
  return {
    status: answer.status,
    headers: Object.fromEntries(answer.headers),
    get last() {
      return last;
    },
    ended,
    rows,
    until: async (satisfies) => void (await waitUntil(() => last !== undefined && satisfies(rows()))),
    close: () => gone.abort(),
  };
}
