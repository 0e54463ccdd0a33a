import { websiteRollups } from '@ledgerline/contracts/aggregates/website-rollups';
import { linkDomains } from '@ledgerline/contracts/read-models/website-facts';
import { PART_COLUMNS } from '@ledgerline/contracts/read-models/session-days';
import {
  type TaskInput,
  columnOf,
  type PlanResult,
  type CountedPlan,
  type SegmentCriterion,
  type RollupParts,
  type LookupRow,
  packedColumns,
  readsOf,
  type Table,
} from '@ledgerline/aggregation/aggregation';
import { dayNumber } from '@ledgerline/domain/time/zones';
import { run as runSql, type Queryable } from '@ledgerline/platform/database/pool';
import { sql, type Sql } from '@ledgerline/platform/database/sql';
import { traced } from '@ledgerline/platform/tracing/tracing';
import type { SqlRow } from '../declaration/fields';
import type { QueryType } from '../declaration/query-type';
import {
  keyOf,
  planOf,
  requestOf,
  rangeOf,
  readsEverySession,
  spanOf,
  wantedBy,
  type AskedCount,
} from './counted-type';
import { CountedTexts } from './counted-texts';
import { type CountingRun, findTieOrder, FoundConditions } from './found-conditions';
import { readKeptCounts, type RollupRead } from './kept-counts';
import { memoryOf, type Need, RequestMemory } from './memory-budget';
import { listOpenSessions, readOpenSessions } from './open-days';
import { listSealedDays, readColumns } from './sealed-days';
import { EVERY_ROW, type QueryContext } from '../declaration/query-context';

/** Waits until so much memory is free, and takes it. */
type Hold = (need: Need) => Promise<void>;
type Counted = ReadonlyMap<string, PlanResult>;
type PacksOfRanges = ReadonlyMap<string, RollupParts>;

/**
 * What is counted for a request: what the types of one range need of columns is read once, and what all need of kept counts
 * is; those of one range are counted at once.
 */
export class RequestCounts {
  private readonly byRange = new Map<string, Promise<Counted>>();
  private kept: Promise<PacksOfRanges> | undefined;
  private readonly texts: CountedTexts;
  private readonly conditions: FoundConditions;
  /** Names of types whose rows of the range that is asked for have been looked up. */
  private readonly lookedUp = new Set<string>();

  private readonly asked: ReadonlyMap<string, AskedCount>;
  private readonly memory: RequestMemory;

  constructor(
    private readonly run: CountingRun,
    asked: readonly AskedCount[],
  ) {
    this.asked = new Map(asked.map((each) => [keyOf(each), each]));
    this.texts = new CountedTexts(run.client);
    this.conditions = new FoundConditions(run);
    this.memory = new RequestMemory(run.counter.memory);
  }

  /** The rows of a type; beside rows of another range, only those that may have the same texts. */
  async rowsOf(asked: AskedCount): Promise<readonly SqlRow[]> {
    const { type, context } = asked;
    const counted = await this.tableOf(asked);
    if (!context.beside || !this.lookedUp.has(type.name)) await this.lookUp([[counted, type]]);
    this.lookedUp.add(type.name);
    return this.texts.rowsOf(counted, type);
  }

  /** What has to be said about the rows of a type. */
  async notesOf(asked: AskedCount): Promise<readonly string[]> {
    const { notes = [] } = await this.tableOf(asked);
    return [...notes, ...(asked.type.sessionColumns?.notes?.(asked.context) ?? [])];
  }

  /** How many rows a type has in all. */
  async totalOf(asked: AskedCount): Promise<number> {
    return columnOf(await this.tableOf(asked), 'total_rows')[0] ?? 0;
  }

  private async tableOf(asked: AskedCount): Promise<Table> {
    const key = keyOf(asked);
    const isKnown = this.asked.has(key);
    const range = isKnown ? rangeOf(asked) : key;
    const together = isKnown ? [...this.asked.values()].filter((each) => rangeOf(each) === range) : [asked];
    const counting = this.byRange.get(range) ?? this.countTogether(together, isKnown);
    this.byRange.set(range, counting);
    counting.catch(() => this.byRange.delete(range)); // thrown to the type that asked; the next one tries again
    const counted = (await counting).get(key);
    if (!counted) throw new Error(`${asked.type.name} was not counted.`);
    if ('failure' in counted) throw counted.failure;
    return counted;
  }

  private async countTogether(asked: readonly AskedCount[], isKnown: boolean): Promise<Counted> {
    const counted = await this.countInMemory(asked, isKnown);
    const found: (readonly [AskedCount, PlanResult])[] = [];
    for (const [at, each] of asked.entries()) {
      const columns = counted[at];
      if (columns) found.push([each, 'failure' in columns ? columns : await this.texts.upToPage(columns, each)]);
    }
    const onPages = found.flatMap(([{ type, context, isTotal }, each]) =>
      context.page.limit === EVERY_ROW.limit || isTotal || 'failure' in each ? [] : [[each, type] as const],
    );
    for (const [, { name }] of onPages) this.lookedUp.add(name);
    await this.lookUp(onPages); // at once: the others are looked up when it is known which are wanted
    return new Map(found.map(([each, result]) => [keyOf(each), result]));
  }

  private async lookUp(counted: readonly (readonly [Table, QueryType])[]): Promise<void> {
    for (const [{ size }, type] of counted) await this.takeRows(size, type);
    await this.texts.lookUp(counted);
  }

  /** Takes the memory of rows that are made of what was counted or is read by SQL. @throws as {@link RequestMemory.takeRows} */
  takeRows(rows: number, { fields }: Pick<QueryType, 'fields'>): Promise<void> {
    const { audience, deadline } = this.run;
    return this.memory.takeRows(rows, fields, () =>
      AbortSignal.any([audience.signal, AbortSignal.timeout(deadline.left())]),
    );
  }

  /** Gives the memory of rows back, when they are answered. */
  release(): void {
    this.memory.release();
  }

  /** Counts what fits into memory, when it does. @throws Problem TOO_LARGE · SERVICE_UNAVAILABLE when its time is over before */
  private async countInMemory(asked: readonly AskedCount[], isKnown: boolean): Promise<readonly PlanResult[]> {
    const { counter, audience, deadline } = this.run;
    const late = AbortSignal.timeout(deadline.left());
    const held: (() => void)[] = [];
    try {
      const hold = async (need: Need) =>
        void held.push(await counter.memory.take(need, AbortSignal.any([audience.signal, late])));
      const task = await this.taskOf(asked, isKnown, hold);
      const count = (types: readonly CountedPlan[]) =>
        counter.count({ ...task, types }, { signal: audience.signal, late });
      return await this.countInOrder(asked, task.types, count);
    } catch (error) {
      if (late.aborted) deadline.left(); // throws what a request without time is answered with
      throw error;
    } finally {
      for (const giveBack of held) giveBack();
    }
  }

  /** Counts those again that have to know the order of events at one time. */
  private async countInOrder(
    asked: readonly AskedCount[],
    types: readonly CountedPlan[],
    count: (types: readonly CountedPlan[]) => Promise<readonly PlanResult[]>,
  ): Promise<readonly PlanResult[]> {
    const counted = [...(await count(types))];
    const tied = counted.flatMap((each, at) => ('ties' in each && each.ties ? [{ at, ties: each.ties }] : []));
    const known: CountedPlan[] = [];
    for (const { at, ties } of tied) {
      const [type, of] = [types[at], asked[at]];
      if (type && of) known.push({ ...type, order: await findTieOrder(this.run.client, of.context, ties) });
    }
    if (known.length > 0) for (const [nth, each] of (await count(known)).entries()) counted[tied[nth]?.at ?? -1] = each;
    return counted;
  }

  /** Everything that these types of one range are counted from. */
  private async taskOf(asked: readonly AskedCount[], isKnown: boolean, hold: Hold): Promise<TaskInput> {
    const [first] = asked;
    if (!first) throw new Error('No type is to be counted.');
    const typesOf = Promise.all(asked.map((each) => countedType(this.run.client, each, this.conditions)));
    const reading =
      first.from === 'keptCounts' ? this.keptOf(asked, first, isKnown) : this.columnsOf(asked, first, hold);
    const [types, read] = await Promise.all([typesOf, reading]);
    return { types, ...read };
  }

  private async columnsOf(asked: readonly AskedCount[], first: AskedCount, hold: Hold) {
    const { context } = first;
    const { client, counter } = this.run;
    const wanted = wantedBy(asked);
    const isEverySession = readsEverySession(first);
    const isWhole = isEverySession || context.did.length > 0;
    const reading = isWhole ? { ...context, filters: [], ...spanOf(first) } : context;
    const deeds = context.did.map(async ({ condition, within, not = false }): Promise<SegmentCriterion> => ({
      ...{ within, isNegated: not },
      condition: await this.conditions.find({ condition }, context),
    }));
    const sealed = await listSealedDays(client, reading);
    const listed = await listOpenSessions(client, reading, sealed);
    await hold(memoryOf({ packed: sealed.sessions + listed.packed, unpacked: listed.unpacked }, wanted));
    const columns = packedColumns(wanted);
    const { cache } = counter;
    const open = await readOpenSessions(client, reading, listed, wanted, {
      columns: [...columns, ...PART_COLUMNS],
      cache,
    });
    const pieces = await readColumns(client, reading, sealed.pieces, { columns, cache });
    return {
      wanted,
      rows: sealed.rows,
      pieces,
      ...open,
      deeds: await Promise.all(deeds),
      isEverySession,
    };
  }

  private async keptOf(asked: readonly AskedCount[], first: AskedCount, isKnown: boolean) {
    const reading = isKnown ? (this.kept ??= this.readKept([...this.asked.values()])) : this.readKept(asked);
    if (isKnown) reading.catch(() => (this.kept = undefined)); // the next one tries again
    const kept = (await reading).get(rangeOf(first));
    if (!kept) throw new Error('No kept counts of the range were read.');
    return { rollups: kept };
  }

  /** What all of them need of kept counts, by range. */
  private async readKept(asked: readonly AskedCount[]): Promise<PacksOfRanges> {
    const { client, counter } = this.run;
    const ranges = new Map<string, RollupRead & { readonly names: Set<string>; readonly byDay: Set<string> }>();
    const counts = asked.filter(({ from }) => from === 'keptCounts');
    for (const each of counts) {
      const { startDate, endDate } = each.context;
      const range = ranges.get(rangeOf(each)) ?? {
        since: dayNumber(startDate),
        until: dayNumber(endDate),
        names: new Set<string>(),
        byDay: new Set<string>(),
      };
      ranges.set(rangeOf(each), range);
      for (const name of readsOf(planOf(each)).rollups ?? []) {
        range.names.add(name);
        if (each.type.shape === 'series') range.byDay.add(name);
      }
    }
    const [first] = counts;
    if (!first) throw new Error('Nothing is counted from kept counts.');
    const attributes = { 'db.system.name': 'postgresql', 'db.query.summary': websiteRollups.name };
    const read = await traced(`SQL ${websiteRollups.name}`, { kind: 'client', attributes }, () =>
      readKeptCounts(client, first.context, [...ranges.values()], counter.cache),
    );
    return new Map([...ranges.keys()].flatMap((range, nth) => (read[nth] ? [[range, read[nth]] as const] : [])));
  }
}

async function countedType(on: Queryable, asked: AskedCount, known: FoundConditions): Promise<CountedPlan> {
  const { context } = asked;
  const plan = planOf(asked);
  const { readsLinkDomains, conditions: wanted } = readsOf(plan);
  const span = spanOf(asked);
  const conditions = wanted.map((each) => known.find(each, { ...context, ...span }));
  return {
    ...{ plan, request: requestOf(asked) },
    lookup:
      readsLinkDomains && asked.from === 'sessionColumns' ? await runSql<LookupRow>(on, linkDomainsOf(context)) : [],
    conditions: await Promise.all(conditions),
  };
}

/** The domain of a link is stored at its first click. */
const linkDomainsOf = ({ table, website }: QueryContext): Sql =>
  sql`select value, domain from ${table(linkDomains)} where website = ${website}`;
