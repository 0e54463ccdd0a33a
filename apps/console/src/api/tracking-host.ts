import { dataOf } from '@ledgerline/client';
import { queryOptions } from '@tanstack/react-query';
import { client } from './client';

interface Catalogue {
  readonly linkset: readonly { readonly anchor: string; readonly 'service-meta'?: unknown }[];
}

/** The address of the tracking host, where short links and the script are; the api's catalogue names both hosts. */
export const trackingHostQuery = queryOptions({
  queryKey: ['tracking-host'],
  queryFn: async ({ signal }) => {
    const text = await dataOf(client.GET('/.well-known/api-catalog', { parseAs: 'text', signal }));
    const { linkset } = JSON.parse(text) as Catalogue;
    return linkset.find((host) => host['service-meta'] === undefined)?.anchor ?? location.origin;
  },
  staleTime: Infinity,
});
