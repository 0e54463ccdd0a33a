import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type Caller, neededFor } from '@ledgerline/domain/access/caller';
import { instantsOf } from '@ledgerline/domain/query/buckets';
import { type DateRequest, dateRange } from '@ledgerline/domain/query/date-range';
import { comparingRows, type AnswerRow } from '@ledgerline/domain/query/rows';
import { supportedZone } from '@ledgerline/domain/time/zones';
import { forbidden, invalid } from '../../http/problems';
import { QueryTargets } from '../request/query-targets';
import { annotations } from '../types/website/annotations.query-type';
import { Histories, type HistoryOf } from './history';
import type { HistoryRange } from './read-happenings';

interface FoundHistory {
  readonly rows: readonly AnswerRow[];
  readonly notes: readonly string[];
}

/**
 * Asks for what `annotations` answers of one website or link, also about all of an organization, and without dates of
 * all times.
 */
export class FindHistory extends Query<FoundHistory> {
  constructor(
    readonly caller: Caller,
    readonly wanted: HistoryOf & DateRequest & { readonly timezone?: string | undefined },
  ) {
    super();
  }
}

const ALL_TIMES: HistoryRange = {
  from: Date.parse('0001-01-01T00:00:00Z'),
  to: Date.parse('9999-12-31T23:59:59.999Z'),
};

@QueryHandler(FindHistory)
export class FindHistoryHandler implements IQueryHandler<FindHistory> {
  constructor(
    private readonly histories: Histories,
    private readonly targets: QueryTargets,
  ) {}

  /** @throws Problem FORBIDDEN · VALIDATION_ERROR */
  async execute({ caller, wanted }: FindHistory): Promise<FoundHistory> {
    const { organizationId, websiteId, linkId } = wanted;
    const isOfOne = websiteId !== undefined || linkId !== undefined;
    if (websiteId !== undefined && linkId !== undefined)
      throw invalid([{ field: 'linkId', message: 'Give websiteId or linkId, not both.' }]);
    const target = isOfOne ? await this.targets.find(caller, { website_id: websiteId, link_id: linkId }) : undefined;
    if (target?.publicOnly) throw forbidden({ needs: neededFor('websites:read', caller), of: 'website' });
    const span = spanOf(wanted, target?.zone ?? 'UTC');
    const { rows, notes } = await this.histories.find(caller, { organizationId, websiteId, linkId }, span);
    return { rows: rows.map((row) => annotations.row(row)).sort(comparingRows(annotations.order)), notes };
  }
}

function spanOf({ timezone, ...dates }: FindHistory['wanted'], ownZone: string): HistoryRange {
  const zone = timezone === undefined ? ownZone : supportedZone(timezone);
  if (zone === undefined) throw invalid([{ field: 'timezone', message: 'Must be a time zone such as Europe/Berlin.' }]);
  if (dates.preset === undefined && dates.startDate === undefined && dates.endDate === undefined) return ALL_TIMES;
  const range = dateRange(dates, zone, Date.now());
  if (!range.ok) throw invalid(range.errors);
  const { from, to } = { ...instantsOf(range, zone), ...range };
  return { from, to };
}
