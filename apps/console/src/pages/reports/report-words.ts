import type { ReportDto } from '@ledgerline/client';

/** When a report is sent. */
export const PERIODS = { week: 'Every Monday', month: 'On the 1st of each month' } as const;

export const websitesText = ({ websiteIds }: Pick<ReportDto, 'websiteIds'>): string =>
  websiteIds === null ? 'All websites' : websiteIds.length === 1 ? '1 website' : `${websiteIds.length} websites`;
