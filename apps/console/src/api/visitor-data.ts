import { queryOptions } from '@tanstack/react-query';
import { dataOf, type PreviewErasureDto } from '@ledgerline/client';
import { client, useChange } from './client';

/** Returns what an erasure of a visitor would take out; for owners. */
export const erasurePreviewQuery = (body: PreviewErasureDto) =>
  queryOptions({
    queryKey: ['erasures', 'preview', body],
    queryFn: ({ signal }) => dataOf(client.POST('/v1/erasures/preview', { body, signal })),
    staleTime: 0,
  });

export const useEraseVisitor = () =>
  useChange(
    (body: PreviewErasureDto) => dataOf(client.POST('/v1/erasures', { body })),
    ...['erasures', 'audit-log', 'figures'],
  );

/** Exports all that is held of a visitor, which the audit log then names. */
export const useExportVisitor = () =>
  useChange(
    (body: PreviewErasureDto) => dataOf(client.POST('/v1/people/export', { body, parseAs: 'blob' })),
    'audit-log',
  );
