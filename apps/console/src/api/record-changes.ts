import { dataOf, type paths } from '@ledgerline/client';
import { client, useChange } from './client';

/** Where records of a kind are that people create, change and delete alike. */
type RecordPath = '/v1/goals' | '/v1/funnels' | '/v1/segments' | '/v1/saved-views' | '/v1/tags' | '/v1/monitors';

type JsonIn<Content> = Content extends { content: { 'application/json': infer Body } } ? Body : never;
type Created<Path extends RecordPath> = JsonIn<paths[Path]['post']['responses'][201]>;
type CreateBody<Path extends RecordPath> = JsonIn<paths[Path]['post']['requestBody']>;
type UpdateBody<Path extends RecordPath> = JsonIn<paths[`${Path}/{id}`]['patch']['requestBody']>;

/** The changes of one kind of record, after which lists of these kinds are read again. */
export const recordChanges = <Path extends RecordPath>(path: Path, ...stale: readonly string[]) => ({
  useCreate: () =>
    useChange(
      (body: CreateBody<Path>) =>
        dataOf(client.POST(path as '/v1/tags', { body: body as never })) as Promise<unknown> as Promise<Created<Path>>,
      ...stale,
    ),
  useUpdate: (id: string) =>
    useChange(
      (body: UpdateBody<Path>) =>
        dataOf(
          client.PATCH(`${path}/{id}` as '/v1/tags/{id}', { params: { path: { id } }, body: body as never }),
        ) as Promise<unknown> as Promise<Created<Path>>,
      ...stale,
    ),
  useDelete: () =>
    useChange(
      (id: string) => dataOf(client.DELETE(`${path}/{id}` as '/v1/tags/{id}', { params: { path: { id } } })),
      ...stale,
    ),
});
