import type { ReportGap } from '@ledgerline/contracts/events/observed-events';
import type { ReportPeriod } from '@ledgerline/contracts/events/report.events';

/** The content of a report, of which its mail is made. */
export interface ReportContent {
  readonly name: string;
  readonly organization: string;
  readonly period: ReportPeriod;
  readonly timezone: string;
  /** Inclusive days, `YYYY-MM-DD`; and those that they are compared with. */
  readonly startDate: string;
  readonly endDate: string;
  readonly comparedWith: { readonly startDate: string; readonly endDate: string };
  /** Everything that had arrived by then is in it, epoch ms. */
  readonly asOf: number;
  /** Those with most visitors first. */
  readonly websites: readonly WebsiteContent[];
  readonly gaps: readonly { readonly websiteId: string; readonly name: string; readonly why: ReportGap }[];
}

/** A figure, and what it was before; null = it is not known, as the bounce rate of nobody. */
export interface Compared {
  readonly now: number | null;
  readonly before: number | null;
}

export interface WebsiteContent {
  readonly id: string;
  readonly name: string;
  readonly domain: string;
  /** The address of its dashboard, with the range of the report. */
  readonly dashboard: string;
  readonly totals: Readonly<Record<'visitors' | 'pageviews' | 'sessions' | 'bounceRate', Compared>>;
  readonly lists: readonly ListContent[];
  readonly goals: readonly GoalContent[];
}

export interface ListContent {
  readonly title: string;
  readonly rows: readonly {
    readonly name: string;
    readonly visitors: number;
    /** The dashboard of its visitors alone. */
    readonly address: string;
  }[];
}

export interface GoalContent {
  readonly name: string;
  readonly conversions: Compared;
  /** The share of visitors, per cent. */
  readonly rate: number;
  readonly address: string;
}

const MAX_IN_FULL = 3;
/** Beside so many figures a mail has room for the lists of one website: programs cut off what is longer than 102 KB. */
const MANY_WEBSITES = 30;

/** Those that had visitors, of the first of which there are lists and goals, and the others. */
export function splitByVisitors({ websites }: Pick<ReportContent, 'websites'>) {
  const isVisited = ({ totals }: WebsiteContent) => (totals.visitors.now ?? 0) > 0;
  const visited = websites.filter(isVisited);
  const inFull = visited.slice(0, visited.length > MANY_WEBSITES ? 1 : MAX_IN_FULL);
  return { visited, inFull, others: websites.filter((each) => !isVisited(each)) };
}
