import { dataOf, type CreateFlagDto, type UpdateFlagDto } from '@ledgerline/client';
import { queryOptions, useMutation } from '@tanstack/react-query';
import { client, useChange } from './client';

/** The feature flags of an organization, of all its websites. */
export const flagsQuery = (organizationId: string) =>
  queryOptions({
    queryKey: ['flags', organizationId],
    queryFn: async ({ signal }) =>
      (await dataOf(client.GET('/v1/flags', { params: { query: { organizationId } }, signal }))).data,
  });

export const useCreateFlag = () =>
  useChange((body: CreateFlagDto) => dataOf(client.POST('/v1/flags', { body })), 'flags');

export const useChangeFlag = (id: string) =>
  useChange(
    (body: UpdateFlagDto) => dataOf(client.PATCH('/v1/flags/{id}', { params: { path: { id } }, body })),
    'flags',
  );

export const useDeleteFlag = (id: string) =>
  useChange(() => dataOf(client.DELETE('/v1/flags/{id}', { params: { path: { id } } })), 'flags');

/** For whom a flag is evaluated. */
interface FlagContext {
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
