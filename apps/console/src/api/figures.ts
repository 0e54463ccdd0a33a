import { type Query, type QueryClient, keepPreviousData, queryOptions } from '@tanstack/react-query';
import {
  type QueryAnswer,
  type QueryParameter,
  type QueryRequest,
  type QueryTypeName,
  type RowOf,
  dataOf,
  type operations,
} from '@ledgerline/client';
import { client } from './client';
import { FailedParameter } from './failure';

/**
 * The scope that the parameters of one request share: the website or link, the range, the filters, the order and the
 * page.
 */
export type QueryScope = Omit<QueryRequest, 'parameters'>;

type ParameterOf<Name extends QueryTypeName> = Extract<QueryParameter, object> & { readonly name: Name };

/** The answer to one parameter. */
interface ParameterAnswer<Name extends QueryTypeName = QueryTypeName> {
  readonly rows: readonly RowOf<Name>[];
  /** The number of rows a list has in all. */
  readonly total: number;
  readonly meta: QueryAnswer['meta'];
}

/**
 * One figure, series or list about a website or link. Those that are wanted at the same time for the same scope are asked in one
 * request.
 */
export const figuresQuery = <Name extends QueryTypeName>(scope: QueryScope, parameter: ParameterOf<Name>) =>
  queryOptions({
    queryKey: ['figures', scope, parameter],
    // the entry of a parameter has the rows of its type
    queryFn: ({ signal }) =>
      inOneRequest(scope, parameter, signal) as Promise<unknown> as Promise<ParameterAnswer<Name>>,
    placeholderData: keepPreviousData,
  });

/**
 * Asks again for what is shown, in as few requests as at first: all of it, or the types that are wanted.
 * @throws Error if one of them fails, whose rows stay as they are
 */
export const refreshAnswers = (
  queryClient: QueryClient,
  isWanted: (name: QueryTypeName, hasAnswer: boolean) => boolean = () => true,
): Promise<void> =>
  queryClient.refetchQueries(
    {
      queryKey: ['figures'],
      type: 'active',
      predicate: ({ state, queryKey }: Query) =>
        isWanted((queryKey[2] as ParameterOf<QueryTypeName>).name, state.data !== undefined),
    },
    { cancelRefetch: false, throwOnError: true },
  );

interface Waiting {
  readonly parameter: ParameterOf<QueryTypeName>;
  readonly signal: AbortSignal;
  readonly resolve: (answer: ParameterAnswer) => void;
  readonly reject: (error: unknown) => void;
}

/** The most that the api takes in one request. */
const MAX_PARAMETERS = 20;

/** So many answers are drawn without a pause. */
const DRAWN_AT_ONCE = 3;

const waiting = new Map<string, Waiting[]>();

function inOneRequest(scope: QueryScope, parameter: Waiting['parameter'], signal: AbortSignal) {
  return new Promise<ParameterAnswer>((resolve, reject) => {
    const key = JSON.stringify(scope);
    const batch = waiting.get(key) ?? [];
    if (batch.length === 0)
      setTimeout(() => {
        waiting.delete(key);
        for (let at = 0; at < batch.length; at += MAX_PARAMETERS)
          void send(scope, batch.slice(at, at + MAX_PARAMETERS));
      });
    waiting.set(key, batch);
    batch.push({ parameter, signal, resolve, reject });
  });
}

async function send(scope: QueryScope, batch: readonly Waiting[]): Promise<void> {
  try {
    const parameters = batch.map(({ parameter }) => parameter);
    const { data, meta } = await client.query({ ...scope, parameters } as QueryRequest, { signal: allAborted(batch) });
    for (const [at, { parameter, resolve, reject }] of batch.entries()) {
      if (at > 0 && at % DRAWN_AT_ONCE === 0) await nextTask(); // drawing delays neither the pointer nor the first figures
      const entry = data[at];
      if (entry?.success) resolve({ rows: entry.data, total: meta.totals[parameter.name] ?? entry.data.length, meta });
      else reject(new FailedParameter(entry?.error ?? `The answer has no ${parameter.name}`));
    }
  } catch (error) {
    for (const { reject } of batch) reject(error);
  }
}

const nextTask = () => new Promise((resolve) => setTimeout(resolve));

/** Aborted once no part of the batch is wanted any more. */
function allAborted(batch: readonly Waiting[]): AbortSignal {
  const all = new AbortController();
  const abort = () => {
    if (batch.every(({ signal }) => signal.aborted)) all.abort();
  };
  for (const { signal } of batch) signal.addEventListener('abort', abort, { once: true });
  abort();
  return all.signal;
}

/** Returns what names the target in the address, and what is in the body. */
const partsOf = ({ website, link, tag, ...scope }: QueryScope) =>
  [{ website_id: website, link_id: link, tag_id: tag }, scope] as const;

/** The rows of a list to its end, or of a series, as the CSV of the api. */
export async function websiteCsv(asked: QueryScope, parameter: { readonly name: QueryTypeName }) {
  const [query, scope] = partsOf(asked);
  const body = { ...scope, parameters: [parameter] };
  const sent = client.POST('/v1/query', { params: { query }, body, headers: { accept: 'text/csv' }, parseAs: 'text' });
  const [text, { response }] = await Promise.all([dataOf(sent), sent]);
  const { csvFile } = await import('./csv-file');
  return csvFile(text, response.headers);
}

/** Returns the request as one with curl; the key is for its owner to fill in. */
export function curlOf(asked: QueryScope, parameter: object): string {
  const [query, scope] = partsOf(asked);
  const named = JSON.parse(JSON.stringify(query)) as Record<string, string>; // without the other targets
  const address = `${location.origin}/v1/query?${new URLSearchParams(named)}`;
  const body = JSON.stringify({ ...scope, parameters: [parameter] });
  return `curl ${quoted(address)} -H 'x-api-key: YOUR_API_KEY' -H 'Content-Type: application/json' -d ${quoted(body)}`;
}

/** A word of a POSIX shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

type Request = operations['query_overview']['requestBody']['content']['application/json'];

/** The answer about one website or link. */
export type OverviewAnswer =
  operations['query_overview']['responses'][200]['content']['application/json']['results'][number];

/** The greatest number of ids in one request. */
const MAX_IDS = 100;

/** Asks for figures of several websites or links, in one request for each hundred: their answers by id. */
export const overviewQuery = ({ ids, ...request }: Request & { readonly ids: readonly string[] }) =>
  queryOptions({
    queryKey: ['overview', ids, request],
    queryFn: async ({ signal }) => {
      const parts = Array.from({ length: Math.ceil(ids.length / MAX_IDS) }, (_, at) =>
        ids.slice(at * MAX_IDS, (at + 1) * MAX_IDS),
      );
      const send = (part: string[]) =>
        dataOf(client.POST('/v1/query/overview', { body: { ...request, ids: part }, signal }));
      const answers = (await Promise.all(parts.map(send))).flatMap(({ results }) => results);
      return new Map(answers.map((answer) => [answer.id, answer]));
    },
  });

/** The most days that a query takes, but for two. */
const DAYS = 3_658;
const DAY_MS = 86_400_000;
const dayAgo = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10);

/** The longest range there is, whatever the time zone. */
export const ever = () => ({ startDate: dayAgo(DAYS), endDate: dayAgo(-1) });

/** The rows of one type; none where it failed alone, or is not known yet. */
export function rowsIn<Name extends QueryTypeName>(
  answer: OverviewAnswer | undefined,
  name: Name,
): readonly RowOf<Name>[] {
  const entry = answer?.data.find(({ parameter }) => parameter === name);
  return (entry?.data ?? []) as readonly unknown[] as readonly RowOf<Name>[]; // the entry of a parameter has the rows of its type
}
