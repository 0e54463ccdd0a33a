import { Rejection } from '@ledgerline/contracts/errors/rejection';
import type { DestinationDetails } from '@ledgerline/contracts/events/destination.events';
import type { ReportDetails } from '@ledgerline/contracts/events/report.events';
import { type NamedRecordCommand, namedRecords } from '../named-records';

export type ReportCommand = NamedRecordCommand<'Report', 'reportId', ReportDetails>;

/** The defaults of a report. */
export const plainReport = {
  websiteIds: null,
  period: 'week',
  timezone: 'UTC',
  enabled: true,
} as const satisfies Partial<ReportDetails>;

/** The reports of an organization. */
export const report = namedRecords<'reports', ReportCommand>('reports', {
  full: 'REPORTS_FULL',
  assertValid({ websiteIds, destinationIds }) {
    if (websiteIds?.length === 0) throw new Rejection('REPORT_WEBSITES_EMPTY', 'websiteIds');
    if (destinationIds.length === 0) throw new Rejection('REPORT_DESTINATIONS_EMPTY', 'destinationIds');
  },
});

/** Returns whether a report may be sent to a destination: it is told of all websites of the report. */
export function covers(
  { organizationId, kind, websiteIds }: Pick<DestinationDetails, 'organizationId' | 'kind' | 'websiteIds'>,
  { websiteIds: wanted, ...of }: Pick<ReportDetails, 'organizationId' | 'websiteIds'>,
): boolean {
  if (kind === 'audit' || organizationId !== of.organizationId) return false;
  return websiteIds === null || (wanted?.every((id) => websiteIds.includes(id)) ?? false);
}
