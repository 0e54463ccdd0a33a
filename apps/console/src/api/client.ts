import { useMutation } from '@tanstack/react-query';
import { createClient } from '@ledgerline/client';
import { fetchUnlessSent } from './first-answers';

/** The only way to the api; the browser adds the cookie of the session. */
export const client = createClient({ baseUrl: location.origin, fetch: fetchUnlessSent });

/** Where the newest change is in the log of the api: lists that are read after it include it. */
let position: string | null = null;

client.use({
  onRequest({ request }) {
    if (position !== null && request.method === 'GET') request.headers.set('X-Min-Position', position);
  },
  onResponse({ request, response }) {
    if (request.method !== 'GET') position = response.headers.get('X-Log-Position') ?? position;
  },
});

/**
 * A request that changes something. What was read of these kinds is read again then, also what no page shows just now:
 * the page that is opened next shows the change.
 */
export const useChange = <Result, Body = void>(send: (body: Body) => Promise<Result>, ...kinds: readonly string[]) =>
  useMutation({
    mutationFn: (body: Body) => send(body),
    onSuccess: (_data, _body, _result, { client: queryClient }) =>
      Promise.all(kinds.map((kind) => queryClient.invalidateQueries({ queryKey: [kind], refetchType: 'all' }))),
  });
