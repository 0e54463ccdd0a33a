import { queryOptions } from '@tanstack/react-query';
import { dataOf } from '@ledgerline/client';
import { client } from './client';

/** Returns what a retention of a website would delete; for owners. */
export const retentionPreviewQuery = (id: string, days: number) =>
  queryOptions({
    queryKey: ['retention', id, days],
    queryFn: ({ signal }) =>
      dataOf(client.GET('/v1/websites/{id}/retention', { params: { path: { id }, query: { days } }, signal })),
    staleTime: 0,
  });
