import { dataOf, type CreateFlagDto, type UpdateFlagDto } from '@ledgerline/client';
import { queryOptions, useMutation, type QueryClient } from '@tanstack/react-query';
import { client } from './client';

/** The feature flags of an organization, of all its websites. */
export const flagsQuery = (organizationId: string) =>
  queryOptions({
    queryKey: ['flags', organizationId],
    queryFn: async ({ signal }) =>
      (await dataOf(client.GET('/v1/flags', { params: { query: { organizationId } }, signal }))).data,
  });

/** Also what no page shows just now: the page that is opened next shows the change. */
const reload = (queryClient: QueryClient) => queryClient.invalidateQueries({ queryKey: ['flags'], refetchType: 'all' });

export const useCreateFlag = () =>
  useMutation({
    mutationFn: (body: CreateFlagDto) => dataOf(client.POST('/v1/flags', { body })),
    onSuccess: (_data, _body, _result, { client: queryClient }) => reload(queryClient),
  });

export const useChangeFlag = (id: string) =>
  useMutation({
    mutationFn: (body: UpdateFlagDto) => dataOf(client.PATCH('/v1/flags/{id}', { params: { path: { id } }, body })),
    onSuccess: (_data, _body, _result, { client: queryClient }) => reload(queryClient),
  });

export const useDeleteFlag = (id: string) =>
  useMutation({
    mutationFn: () => dataOf(client.DELETE('/v1/flags/{id}', { params: { path: { id } } })),
    onSuccess: (_data, _nothing, _result, { client: queryClient }) => reload(queryClient),
  });

/** For whom a flag is evaluated. */
export interface FlagContext {
  readonly clientId: string;
  readonly key: string;
  readonly userId?: string;
  readonly email?: string;
  readonly organizationId?: string;
  readonly teamId?: string;
  readonly properties?: string;
  readonly environment?: string;
}

/** As clients get it. */
export const useEvaluateFlag = () =>
  useMutation({
    mutationFn: (query: FlagContext) => dataOf(client.GET('/public/v1/flags/evaluate', { params: { query } })),
  });
