import { Injectable } from '@nestjs/common';
import { ATTRIBUTES } from '@ledgerline/contracts/attributes';
import { Problem } from '@ledgerline/contracts/errors/error-codes';
import type { ReportGap } from '@ledgerline/contracts/events/observed-events';
import type { Report, Website } from '@ledgerline/contracts/records';
import type { Caller } from '@ledgerline/domain/access/caller';
import type { AnswerRow } from '@ledgerline/domain/query/rows';
import { Registry } from '@ledgerline/domain/registry/registry';
import type { PastPeriod } from '@ledgerline/domain/reports/report-period';
import { addDays, dayNumber } from '@ledgerline/domain/time/zones';
import { QueryRunner, RunQuery } from '../query/execution/query-runner';
import type { AnsweredRequest } from '../query/execution/response';
import { type DashboardRange, dashboardAddress, goalAddress } from './dashboard-address';
import {
  type Compared,
  type GoalContent,
  type ListContent,
  type ReportContent,
  type WebsiteContent,
  splitByVisitors,
} from './report-content';

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

type Parameters = readonly { readonly name: string; readonly limit?: number; readonly compare?: 'previous_period' }[];

const COMPARED = { compare: 'previous_period' } as const;
const TOTALS: Parameters = [{ name: 'summary_metrics', ...COMPARED }];
const DETAILS: Parameters = [{ name: 'goals', ...COMPARED }, ...LISTS.map(({ type }) => ({ name: type, limit: ROWS }))];

/** Collects the figures of reports, as anybody who asks gets them. */
@Injectable()
export class ReportFigures {
  constructor(
    private readonly queries: QueryRunner,
    private readonly registry: Registry,
  ) {}

  /** A website that cannot be asked is a gap, and so is one whose events of the period may be missing. */
  async collect(wanted: Wanted, publicApiUrl: string): Promise<ReportContent> {
    const { report, days } = wanted;
    const { organizationId, name, period, timezone } = report;
    const { startDate, endDate, until } = days;
    const rangeOf = ({ id: websiteId }: Website) => ({ publicApiUrl, organizationId, websiteId, timezone, ...days });
    const all = this.websitesOf(report);
    const found = await this.askAll(all, wanted, TOTALS, (website, rows) =>
      contentOf(website, dashboardAddress(rangeOf(website)), rows),
    );
    const sorted = found.toSorted((a, b) => byVisitorsDown(a.content, b.content));
    const inFull = new Set(splitByVisitors({ websites: sorted.map(({ content }) => content) }).inFull);
    const detailed = await this.askAll(
      sorted.flatMap(({ website, content }) => (inFull.has(content) ? [website] : [])),
      wanted,
      DETAILS,
      (website, rows) => detailsOf(rangeOf(website), rows),
    );
    const details = new Map(detailed.map(({ website, content }) => [website, content]));
    const answered = sorted.filter(({ website, content }) => !inFull.has(content) || details.has(website));
    const failed = all.filter((website) => !answered.some((each) => each.website === website));
    const behind = answered.filter(({ asOf }) => asOf < until);
    const gap = (why: ReportGap) => (website: Website) => ({ websiteId: website.id, name: website.name, why });
    const length = dayNumber(endDate) - dayNumber(startDate) + 1;
    return {
      name,
      organization: this.registry.organization(organizationId)?.name ?? '',
      period,
      timezone,
      startDate,
      endDate,
      comparedWith: { startDate: addDays(startDate, -length), endDate: addDays(startDate, -1) },
      asOf: Math.min(...answered.map(({ asOf }) => asOf), Date.now()),
      websites: answered.map(({ website, content }) => ({ ...content, ...details.get(website) })),
      gaps: [...behind.map(({ website }) => gap('behind')(website)), ...failed.map(gap('failed'))],
    };
  }

  /** Those that are not deleted. */
  private websitesOf({ organizationId, websiteIds }: Report): readonly Website[] {
    const all = this.registry.list('websites', organizationId);
    return websiteIds ? all.filter(({ id }) => websiteIds.includes(id)) : all;
  }

  /** Asks websites the same, some at once; those that cannot be answered now are left out. */
  private async askAll<Content>(
    websites: readonly Website[],
    wanted: Wanted,
    parameters: Parameters,
    read: (website: Website, rows: readonly (readonly AnswerRow[])[]) => Content,
  ): Promise<readonly { readonly website: Website; readonly asOf: number; readonly content: Content }[]> {
    const waiting = [...websites];
    const found: { website: Website; asOf: number; content: Content }[] = [];
    const inTurn = async () => {
      for (let website = waiting.shift(); website; website = waiting.shift()) {
        await wanted.onProgress?.();
        const answer = await this.ask(website, wanted, parameters);
        if (!answer) continue;
        const content = read(
          website,
          answer.results.map(({ rows }) => rows),
        );
        found.push({ website, asOf: Date.parse(answer.meta.asOf), content });
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, inTurn));
    return found;
  }

  /** Undefined where it cannot be answered now. */
  private async ask(
    website: Website,
    { report, days, caller, signal }: Wanted,
    parameters: Parameters,
  ): Promise<AnsweredRequest | undefined> {
    const { startDate, endDate } = days;
    const params = { website_id: website.id, timezone: report.timezone };
    const own = AbortSignal.any([signal]); // each its own, as an answer listens many times
    try {
      const query = new RunQuery({ caller, params, body: { parameters, startDate, endDate }, signal: own });
      const [answer] = await this.queries.execute(query);
      return answer?.results.some(({ failure }) => failure) ? undefined : answer;
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof Problem && error.code === 'SERVICE_UNAVAILABLE') return undefined;
      throw error;
    }
  }
}

const byVisitorsDown = (a: WebsiteContent, b: WebsiteContent): number =>
  (b.totals.visitors.now ?? 0) - (a.totals.visitors.now ?? 0) || (a.name < b.name ? -1 : 1);

/** With its totals alone. */
function contentOf(
  { id, name, domain }: Website,
  dashboard: string,
  [summary]: readonly (readonly AnswerRow[])[],
): WebsiteContent {
  const row = summary?.[0] ?? {};
  const sessions = compared(row, 'sessions');
  return {
    id,
    name,
    domain,
    dashboard,
    totals: {
      visitors: compared(row, 'unique_visitors'),
      pageviews: compared(row, 'pageviews'),
      sessions,
      bounceRate: ofSome(compared(row, 'bounce_rate'), sessions),
    },
    lists: [],
    goals: [],
  };
}

function detailsOf(
  range: DashboardRange,
  [goals = [], ...lists]: readonly (readonly AnswerRow[])[],
): Pick<WebsiteContent, 'lists' | 'goals'> {
  return {
    lists: LISTS.map(({ title, field }, at): ListContent => ({
      title,
      rows: (lists[at] ?? []).map((row) => ({
        name: textOf(row, 'name'),
        visitors: numberOf(row, 'visitors') ?? 0,
        address: dashboardAddress(range, { field, value: textOf(row, 'name') }),
      })),
    })).filter(({ rows }) => rows.length > 0),
    goals: goals.map((row): GoalContent => ({
      name: textOf(row, 'name'),
      conversions: compared(row, 'conversions'),
      rate: numberOf(row, 'conversion_rate') ?? 0,
      address: goalAddress(range, textOf(row, 'goal_id')),
    })),
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
