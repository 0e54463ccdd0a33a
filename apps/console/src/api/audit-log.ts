import { queryOptions, useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { dataOf, type AuditProgressDto, type operations } from '@ledgerline/client';
import { client } from './client';

export type AuditListFilter = Omit<
  operations['auditLog_list']['parameters']['query'],
  'organizationId' | 'cursor' | 'limit'
>;

/** A page of the audit log of an organization, newest first; for owners and admins. */
export const auditLogQuery = (organizationId: string, filter: AuditListFilter, cursor: string | undefined) =>
  queryOptions({
    queryKey: ['audit-log', organizationId, filter, cursor],
    queryFn: ({ signal }) =>
      dataOf(client.GET('/v1/audit-log', { params: { query: { organizationId, ...filter, cursor } }, signal })),
  });

/** Lets the api walk through the whole history; what is shown of it is then read again. */
export function useVerifyAuditLog(organizationId: string) {
  const [progress, setProgress] = useState<AuditProgressDto>();
  const verify = useMutation({
    mutationFn: () => client.verifyAuditLog(organizationId, { onProgress: setProgress }),
    onSettled: () => setProgress(undefined),
    onSuccess: (_data, _nothing, _result, { client: queryClient }) =>
      queryClient.invalidateQueries({ queryKey: ['audit-log'] }),
  });
  return { ...verify, progress };
}

/** A file that the browser saves while it is streamed; the export is an entry of the audit log itself. */
export function exportAddress(organizationId: string, filter: AuditListFilter, format: 'ndjson' | 'csv'): string {
  return `/v1/audit-log/export?${new URLSearchParams({ organizationId, ...filter, format }).toString()}`;
}
