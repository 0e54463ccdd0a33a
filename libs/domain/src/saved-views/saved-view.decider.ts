import { Rejection } from '@ledgerline/contracts/errors/rejection';
import type { SavedViewDetails, ViewContent } from '@ledgerline/contracts/events/saved-view.events';
import { type NamedRecordCommand, namedRecords } from '../named-records';

export type SavedViewCommand = NamedRecordCommand<'SavedView', 'savedViewId', SavedViewDetails>;

/** The content of a view that says nothing. */
export const plainView = {
  preset: null,
  startDate: null,
  endDate: null,
  compare: null,
  filters: [],
  segment: null,
  goal: null,
} as const satisfies ViewContent;

/** Decides about the saved views of a website; the content of a private one is encrypted, and checked before. */
export const savedView = namedRecords<'savedViews', SavedViewCommand>('savedViews', { assertValid: assertViewRange });

/** @throws Rejection VIEW_RANGE_INVALID for half a range, one that ends before it begins, or two of them */
export function assertViewRange({
  preset,
  startDate,
  endDate,
}: Pick<ViewContent, 'preset' | 'startDate' | 'endDate'>): void {
  if (startDate === null && endDate === null) return;
  const isRange = startDate !== null && endDate !== null && startDate <= endDate;
  if (!isRange || preset !== null) throw new Rejection('VIEW_RANGE_INVALID', 'startDate');
}
