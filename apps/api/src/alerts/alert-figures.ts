import { Injectable, Module } from '@nestjs/common';
import type { SegmentDefinition } from '@ledgerline/contracts/definitions';
import { linkClicks } from '@ledgerline/contracts/read-models/links';
import { sessionDayStates } from '@ledgerline/contracts/read-models/session-days';
import { ANONYMOUS } from '@ledgerline/domain/access/caller';
import { type WindowSeries, windowSeries } from '@ledgerline/domain/alerts/window-series';
import type { InstantRange } from '@ledgerline/domain/query/buckets';
import { Registry } from '@ledgerline/domain/registry/registry';
import { dayOf, startOfDay } from '@ledgerline/domain/time/zones';
import { run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import { LinkLookup } from '@ledgerline/platform/registry/link-lookup';
import { invalid } from '../http/problems';
import { roundEstimates } from '../query/declaration/fields';
import type { ParameterOptions } from '../query/declaration/options';
import { EVERY_ROW, isPastRetention, type QueryContext } from '../query/declaration/query-context';
import { contextOf, findRows } from '../query/execution/answer';
import { checkParameter } from '../query/execution/check-parameter';
import { planQuery } from '../query/execution/executors';
import { lookUpFilters } from '../query/execution/filters';
import { RequestAggregates } from '../query/execution/request-aggregates';
import { QueryModule } from '../query/http/query.controller';
import { QueryTargets, type QueryTarget, websiteTarget } from '../query/request/query-targets';
import type { QueryParameter } from '../query/request/read-requests';
import { Audience, QueryDeadline } from '../query/snapshot/request-lifetime';
import { type QueryMeans, SnapshotRunner } from '../query/snapshot/snapshot';
import type { AlertQuestion, AnsweredWindows, WindowFiguresReader } from './alert-worker';
import { FIGURE_TYPES } from './figure-types';

/** A question with all that it names. */
interface FoundQuestion {
  readonly target: QueryTarget;
  readonly parameter: QueryParameter;
  readonly segment: SegmentDefinition | null;
  /** Epoch ms. */
  readonly createdAt: number;
}

/** Counts the figures of windows, each question in one snapshot. */
@Injectable()
export class AlertFigures implements WindowFiguresReader {
  constructor(
    private readonly snapshots: SnapshotRunner,
    private readonly targets: QueryTargets,
    private readonly registry: Registry,
    private readonly links: LinkLookup,
  ) {}

  /** @throws Problem VALIDATION_ERROR for what cannot be asked */
  async check(question: AlertQuestion): Promise<void> {
    const { target, parameter, segment } = await this.find(question);
    checkParameter(parameter, { target, parameters: [parameter], filters: question.filters, segment, sort: null });
  }

  /** The time zone by which the windows of a question end. */
  async zone(question: AlertQuestion): Promise<string> {
    return (await this.find(question)).target.zone;
  }

  /** @throws Problem VALIDATION_ERROR for what cannot be asked, SERVICE_UNAVAILABLE */
  async read(
    question: AlertQuestion,
    windows: readonly InstantRange[],
    signal: AbortSignal = new AbortController().signal,
  ): Promise<AnsweredWindows> {
    const found = await this.find(question);
    const { target } = found;
    const task = { caller: ANONYMOUS, target, now: Date.now(), deadline: new QueryDeadline(), requestId: undefined };
    return this.snapshots.read({ ...task, audience: new Audience(signal) }, async (means) => ({
      figures: await countWindows(question, found, windows, means),
      asOf: means.snapshot.included.asOf,
      hasSpooledClicks: means.snapshot.hasSpooledClicks,
    }));
  }

  private async find({
    organizationId,
    websiteId,
    linkId,
    figure,
    goalId,
    segment,
  }: AlertQuestion): Promise<FoundQuestion> {
    const { target, createdAt } = await this.findTarget(organizationId, websiteId, linkId);
    const definitions = this.targets.definitionsOf(target);
    const goal = goalId === null ? undefined : definitions.goal(goalId);
    const found = segment === null ? null : definitions.segment(segment);
    if ((goalId !== null && !goal) || found === undefined) throw gone(found === undefined ? 'segment' : 'goalId');
    if (found && found.did.length > 0) throw ofDeeds();
    const options: ParameterOptions = goal ? { goals: [goal] } : {};
    return { target, segment: found, createdAt, parameter: { ...PARAMETER, type: FIGURE_TYPES[figure].type, options } };
  }

  private async findTarget(organizationId: string, websiteId: string | null, linkId: string | null) {
    if (websiteId !== null) {
      const website = this.registry.find('websites', websiteId);
      if (website?.organizationId !== organizationId) throw gone('websiteId');
      return { target: websiteTarget(website, false), createdAt: website.createdAt.getTime() };
    }
    const link = linkId === null ? undefined : await this.links.byId(linkId, [organizationId]);
    if (link?.organizationId !== organizationId) throw gone('linkId');
    const { id, slug: name, createdAt } = link;
    const target = { about: 'link', id, name, zone: 'UTC', visitorIdentity: 'daily', publicOnly: false } as const;
    return { target, createdAt: createdAt.getTime() };
  }
}

const gone = (field: string) => invalid([{ field, message: `${field} names what the website does not have` }]);

const DID =
  'segment asks what visitors did, of which windows that overlap have different parts; take one of filters alone';
const ofDeeds = () => invalid([{ field: 'segment', message: DID }]);

/** A parameter of which context and buckets are set later. */
const PARAMETER = {
  id: undefined,
  granularity: 'daily',
  limit: EVERY_ROW.limit,
  isLimited: false,
  earlier: null,
  notes: [],
  startDate: '1970-01-01',
  endDate: '1970-01-01',
} as const;

/** The figures of windows in their order; null = there is none, or the window begins before all that is known. */
async function countWindows(
  { figure, filters }: AlertQuestion,
  { target, parameter, segment, createdAt }: FoundQuestion,
  windows: readonly InstantRange[],
  means: QueryMeans,
): Promise<readonly (number | null)[]> {
  const { client, snapshot } = means;
  const { isAdditive, type, filters: own = [] } = FIGURE_TYPES[figure];
  const all = [...filters, ...own];
  checkParameter(parameter, { target, parameters: [parameter], filters: all, segment, sort: null });
  const given = [...all, ...(segment?.filters ?? [])];
  const selecting = given.length === 0 ? [] : await lookUpFilters(client, { target, filters: given }, snapshot);
  const series = windowSeries(windows, isAdditive);
  const request = { target, zone: target.zone, page: 1, sort: null, segment };
  const plain = contextOf(parameter, request, selecting, snapshot);
  const planned = series.map((each) => planQuery(type, contextWithin(plain, each)));
  const aggregates = new RequestAggregates(
    means,
    planned.flatMap(({ task }) => task ?? []),
  );
  const since = Math.min(createdAt, await firstEvent(target, means));
  const isKnown = ({ from }: InstantRange) => from >= since && !isPastRetention(plain, from);
  const figures = windows.map((): number | null => null);
  for (const [nth, query] of planned.entries()) {
    const found = await findRows(query, { ...means, aggregates }).finally(() => aggregates.release());
    const rows = await roundEstimates(type, found.rows);
    const values = rows.map((row) => row['figure'] as number | null);
    for (const { place, first, end } of series[nth]?.windows ?? []) {
      const window = windows[place];
      if (window && isKnown(window)) figures[place] = isAdditive ? sumOf(values, first, end) : (values[first] ?? null);
    }
  }
  return figures;
}

function sumOf(values: readonly (number | null)[], first: number, end: number): number {
  let sum = 0;
  for (let at = first; at < end; at++) sum += values[at] ?? 0;
  return sum;
}

function contextWithin(context: QueryContext, { buckets }: WindowSeries): QueryContext {
  const from = buckets[0]?.from ?? 0;
  const to = buckets.at(-1)?.to ?? from;
  return {
    ...context,
    startDate: dayOf(from, context.zone),
    endDate: dayOf(to - 1, context.zone),
    from,
    to,
    granularity: 'hourly',
    buckets: buckets.map((bucket, nth) => ({ label: String(nth), ...bucket, stretches: [bucket] })),
  };
}

/** When the first event is, or the day begins that it is on; epoch ms. */
async function firstEvent(
  { about, id, zone }: QueryTarget,
  { client, snapshot: { table, website } }: QueryMeans,
): Promise<number> {
  const query =
    about === 'link'
      ? sql`select min(at) as first from ${table(linkClicks)} where link_id = ${id}`
      : sql`select min(day)::text as first from ${table(sessionDayStates)} where website = ${website}`;
  const [row] = await run<{ first: Date | string | null }>(client, query);
  const first = row?.first ?? null;
  if (first === null) return Infinity;
  return typeof first === 'string' ? startOfDay(first, zone) : first.getTime();
}

/** Provides the figures of windows. */
@Module({ imports: [QueryModule], providers: [AlertFigures], exports: [AlertFigures] })
export class AlertFiguresModule {}
