import { dataOf, type paths } from '@ledgerline/client';
import { client, useChange } from './client';
import { type JsonIn, kindAt, type ListPath } from './records';

/** Where records of a kind are that people create, change and delete alike. */
type RecordPath = ListPath | '/v1/organizations' | '/v1/annotations' | '/v1/links';

type Created<Path extends RecordPath> = JsonIn<paths[Path]['post']['responses'][201]>;
type CreateBody<Path extends RecordPath> = JsonIn<paths[Path]['post']['requestBody']>;
type UpdateBody<Path extends RecordPath> = JsonIn<paths[`${Path}/{id}`]['patch']['requestBody']>;

/** The queries that show records of a kind beside their lists; a deleted tag is on no link. */
const SHOWN_IN: Partial<Record<RecordPath, readonly string[]>> = {
  '/v1/goals': ['figures'],
  '/v1/funnels': ['figures'],
  '/v1/segments': ['figures'],
  '/v1/tags': ['links', 'link'],
  '/v1/monitors': ['status-pages', 'incidents'],
};

const staleAt = (path: RecordPath): readonly string[] => [kindAt(path), ...(SHOWN_IN[path] ?? [])];

export const useCreateRecord = <Path extends RecordPath>(path: Path) =>
  useChange(
    (body: CreateBody<Path>) =>
      dataOf(client.POST(path as '/v1/tags', { body: body as never })) as Promise<unknown> as Promise<Created<Path>>,
    ...staleAt(path),
  );

/** `revision`: of the record as it was shown, where a change by others in between must not be overwritten. */
export const useUpdateRecord = <Path extends RecordPath>(path: Path, id: string, revision?: number) =>
  useChange(
    (body: UpdateBody<Path>) => {
      const header = revision === undefined ? {} : { 'If-Match': String(revision) };
      return dataOf(
        client.PATCH(`${path}/{id}` as '/v1/tags/{id}', { params: { path: { id }, header }, body: body as never }),
      ) as Promise<unknown> as Promise<Created<Path>>;
    },
    ...staleAt(path),
    kindAt(path).slice(0, -1), // its own page, where it has one
  );

/** Its own page is shown until it is left. */
export const useDeleteRecord = (path: RecordPath) =>
  useChange(
    (id: string) => dataOf(client.DELETE(`${path}/{id}` as '/v1/tags/{id}', { params: { path: { id } } })),
    ...staleAt(path),
  );
