import { Injectable } from '@nestjs/common';
import { ATTRIBUTES } from '@ledgerline/contracts/attributes';
import type { Report, Website } from '@ledgerline/contracts/records';
import type { Caller } from '@ledgerline/domain/access/caller';
import type { AnswerRow } from '@ledgerline/domain/query/rows';
import { Registry } from '@ledgerline/domain/registry/registry';
import type { PastPeriod } from '@ledgerline/domain/reports/report-period';
import { addDays, dayNumber } from '@ledgerline/domain/time/zones';
import { QueryRunner, RunQuery } from '../query/execution/query-runner';
import type { AnsweredRequest } from '../query/execution/response';
import { dashboardAddress, goalAddress } from './dashboard-address';
import type { Compared, GoalContent, ListContent, ReportContent, WebsiteContent } from './report-content';

interface Wanted {
  readonly report: Report;
  readonly days: PastPeriod;
  /** With whose right it is asked. */
  readonly caller: Caller;
  readonly signal: AbortSignal;
  /** Called before each website. */
  readonly onProgress?: () => Promise<void>;
}

/** The lists of a website, with their fields. */
const LISTS = (['path', 'referrer', 'country'] as const).map((field) => ({ field, ...ATTRIBUTES[field].list }));
const ROWS = 5;
/** So many are asked at once: a report leaves connections to questions of people. */
const AT_ONCE = 2;

/** Collects the figures of reports, as anybody who asks gets them. */
@Injectable()
export class ReportFigures {
  constructor(
    private readonly queries: QueryRunner,
    private readonly registry: Registry,
  ) {}

  /** A website that cannot be asked is a gap, and so is one whose events of the period may be missing. */
  async collect(wanted: Wanted, publicApiUrl: string): Promise<ReportContent> {
    const { report, days, onProgress } = wanted;
    const { organizationId, name, period, timezone } = report;
    const waiting = this.websitesOf(report).map((website) => ({ website }));
    const found: (WebsiteContent & { readonly asOf: number })[] = [];
    const failed: Website[] = [];
    const inTurn = async () => {
      for (let next = waiting.shift(); next; next = waiting.shift()) {
        await onProgress?.();
        const answer = await this.ask(next.website, wanted);
        const content = answer && contentOf(next.website, answer, wanted, publicApiUrl);
        if (content) found.push(content);
        else failed.push(next.website);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, inTurn));
    const { startDate, endDate, until } = days;
    const behind = found.filter(({ asOf }) => asOf < until);
    const length = dayNumber(endDate) - dayNumber(startDate) + 1;
    return {
      name,
      organization: this.registry.organization(organizationId)?.name ?? '',
      period,
      timezone,
      startDate,
      endDate,
      comparedWith: { startDate: addDays(startDate, -length), endDate: addDays(startDate, -1) },
      asOf: Math.min(...found.map(({ asOf }) => asOf), Date.now()),
      websites: found.toSorted(byVisitors),
      gaps: [
        ...behind.map((each) => ({ websiteId: each.id, name: each.name, why: 'behind' as const })),
        ...failed.map((each) => ({ websiteId: each.id, name: each.name, why: 'failed' as const })),
      ],
    };
  }

  /** Those that are not deleted. */
  private websitesOf({ organizationId, websiteIds }: Report): readonly Website[] {
    const all = this.registry.list('websites', organizationId);
    return websiteIds ? all.filter(({ id }) => websiteIds.includes(id)) : all;
  }

  /** Undefined where it cannot be answered now. */
  private async ask(website: Website, { report, days, caller, signal }: Wanted): Promise<AnsweredRequest | undefined> {
    const { startDate, endDate } = days;
    const compare = 'previous_period';
    const parameters = [
      { name: 'summary_metrics', compare },
      { name: 'goals', compare },
      ...LISTS.map(({ type }) => ({ name: type, limit: ROWS })),
    ];
    const params = { website_id: website.id, timezone: report.timezone };
    const body = { parameters, startDate, endDate };
    try {
      const [answer] = await this.queries.execute(new RunQuery({ caller, params, body, signal }));
      return answer?.results.some(({ failure }) => failure) ? undefined : answer;
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof Error && 'code' in error && error.code === 'SERVICE_UNAVAILABLE') return undefined;
      throw error;
    }
  }
}

const byVisitors = (a: WebsiteContent, b: WebsiteContent): number =>
  (b.totals.visitors.now ?? 0) - (a.totals.visitors.now ?? 0) || (a.name < b.name ? -1 : 1);

function contentOf(
  { id, organizationId, name, domain }: Website,
  { results, meta }: AnsweredRequest,
  { report, days }: Wanted,
  publicApiUrl: string,
): (WebsiteContent & { readonly asOf: number }) | undefined {
  const [summary, goals, ...lists] = results.map(({ rows }) => rows);
  const [row] = summary ?? [];
  if (!row) return undefined;
  const of = { publicApiUrl, organizationId, websiteId: id, timezone: report.timezone, ...days };
  return {
    id,
    name,
    domain,
    dashboard: dashboardAddress(of),
    totals: {
      visitors: compared(row, 'unique_visitors'),
      pageviews: compared(row, 'pageviews'),
      sessions: compared(row, 'sessions'),
      bounceRate: ofSome(compared(row, 'bounce_rate'), compared(row, 'sessions')),
    },
    lists: LISTS.map(({ title, field }, at): ListContent => ({
      title,
      rows: (lists[at] ?? []).map((each) => ({
        name: textOf(each, 'name'),
        visitors: numberOf(each, 'visitors') ?? 0,
        address: dashboardAddress(of, { field, value: textOf(each, 'name') }),
      })),
    })).filter(({ rows }) => rows.length > 0),
    goals: (goals ?? []).map((each): GoalContent => ({
      name: textOf(each, 'name'),
      conversions: compared(each, 'conversions'),
      rate: numberOf(each, 'conversion_rate') ?? 0,
      address: goalAddress(of, textOf(each, 'goal_id')),
    })),
    asOf: Date.parse(meta.asOf),
  };
}

const numberOf = (row: AnswerRow, name: string): number | null => {
  const value = row[name];
  return typeof value === 'number' ? value : null;
};

const textOf = (row: AnswerRow, name: string): string => {
  const value = row[name];
  return typeof value === 'string' ? value : '';
};

const compared = (row: AnswerRow, name: string): Compared => ({
  now: numberOf(row, name),
  before: numberOf((row['previous'] ?? {}) as AnswerRow, name),
});

/** A share of visits, where there were any. */
const ofSome = (share: Compared, sessions: Compared): Compared => ({
  now: sessions.now === 0 ? null : share.now,
  before: sessions.before === 0 ? null : share.before,
});
