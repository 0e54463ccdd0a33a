import { keptCounts } from '@ledgerline/contracts/read-models/kept-counts';
import type { SessionField, Unit } from '@ledgerline/contracts/read-models/session-days';
import { dayNumber } from '@ledgerline/domain/time/zones';
import { run, type Queryable } from '@ledgerline/platform/database/pool';
import { traced } from '@ledgerline/platform/tracing/tracing';
import type { WantedColumns } from '@ledgerline/platform/session-days/session-chunks';
import { isAboutPages } from '@ledgerline/domain/counting/select-sessions';
import type { LookedUp } from '@ledgerline/domain/counting/asked';
import { columnOf, type Table } from '@ledgerline/domain/counting/tables';
import type { SqlRow } from '../sql-row';
import { EVERY_ROW, type QueryContext, type QueryType, type SessionCounting } from '../query-type';
import {
  packedColumns,
  type AskedTask,
  type CountedColumns,
  type CountedType,
  type KeptPacks,
  type TaskCounter,
} from './counting-task';
import { CountedTexts } from './counted-texts';
import { listSealedDays, readOpenSessions } from './day-rows';
import { readColumns } from './read-columns';
import { readKeptCounts, type KeptRange } from './read-kept-counts';

/** What is counted for a type of a request. */
export interface AskedCount {
  readonly type: QueryType;
  readonly context: QueryContext;
  readonly from: 'keptCounts' | 'sessionColumns';
  /** Instead of its rows, how many there are. */
  readonly isTotal: boolean;
}

/** What the types of a request are counted with. */
export interface CountingOrigin {
  /** In the snapshot of the request. */
  readonly client: Queryable;
  readonly counter: TaskCounter;
  /** Aborted when the client goes away. */
  readonly signal: AbortSignal;
  /** How many ms are left. @throws Problem when there are none */
  readonly deadline: { readonly left: () => number };
}

type Counted = ReadonlyMap<string, CountedColumns>;
type PacksOfRanges = ReadonlyMap<string, KeptPacks>;

/**
 * What is counted for a request: what the types of one range need of columns is read once, and what all need of kept counts
 * is; those of one range are counted at once.
 */
export class RequestCounts {
  private readonly byRange = new Map<string, Promise<Counted>>();
  private kept: Promise<PacksOfRanges> | undefined;
  private readonly texts: CountedTexts;
  /** Names of types whose rows of the range that is asked for have been looked up. */
  private readonly lookedUp = new Set<string>();

  private readonly asked: ReadonlyMap<string, AskedCount>;

  constructor(
    private readonly origin: CountingOrigin,
    asked: readonly AskedCount[],
  ) {
    this.asked = new Map(asked.map((each) => [keyOf(each), each]));
    this.texts = new CountedTexts(origin.client);
  }

  /** The rows of a type; beside rows of another range, only those that may have the same texts. */
  async rowsOf(asked: AskedCount): Promise<readonly SqlRow[]> {
    const { type, context } = asked;
    const counted = await this.tableOf(asked);
    if (!context.beside || !this.lookedUp.has(type.name)) await this.texts.lookUp([[counted, type]]);
    this.lookedUp.add(type.name);
    return this.texts.rowsOf(counted, type);
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
    const { counter, signal, deadline } = this.origin;
    const task = await this.taskOf(asked, isKnown);
    const late = AbortSignal.timeout(deadline.left());
    const counted = await counter.count(task, { signal, late }).catch((error: unknown) => {
      if (late.aborted) deadline.left(); // throws what a request without time is answered with
      throw error;
    });
    const found = asked.flatMap((each, at) => (counted[at] ? [[each, counted[at]] as const] : []));
    const onPages = found.flatMap(([{ type, context, isTotal }, each]) =>
      context.page.limit === EVERY_ROW.limit || isTotal || 'failure' in each ? [] : [[each, type] as const],
    );
    for (const [, { name }] of onPages) this.lookedUp.add(name);
    await this.texts.lookUp(onPages); // at once: the others are looked up when it is known which are wanted
    return new Map(found.map(([each, result]) => [keyOf(each), result]));
  }

  /** Everything that these types of one range are counted from. */
  private async taskOf(asked: readonly AskedCount[], isKnown: boolean): Promise<AskedTask> {
    const [first] = asked;
    if (!first) throw new Error('No type is to be counted.');
    const typesOf = Promise.all(asked.map((each) => countedType(this.origin.client, each)));
    const reading = first.from === 'keptCounts' ? this.keptOf(asked, first, isKnown) : this.columnsOf(asked, first);
    const [types, read] = await Promise.all([typesOf, reading]);
    return { types, ...read };
  }

  private async columnsOf(asked: readonly AskedCount[], { context }: AskedCount) {
    const { client, counter } = this.origin;
    const wanted = wantedBy(asked);
    const sealed = await listSealedDays(client, context);
    const slices = await readOpenSessions(client, context, sealed, wanted);
    const columns = packedColumns(wanted);
    const pieces = await readColumns(client, context, sealed.pieces, { columns, cache: counter.cache });
    return { wanted, rows: sealed.rows, pieces, slices };
  }

  private async keptOf(asked: readonly AskedCount[], first: AskedCount, isKnown: boolean) {
    const reading = isKnown ? (this.kept ??= this.readKept([...this.asked.values()])) : this.readKept(asked);
    if (isKnown) reading.catch(() => (this.kept = undefined)); // the next one tries again
    const kept = (await reading).get(rangeOf(first));
    if (!kept) throw new Error('No kept counts of the range were read.');
    return { kept };
  }

  /** What all of them need of kept counts, by range. */
  private async readKept(asked: readonly AskedCount[]): Promise<PacksOfRanges> {
    const { client, counter } = this.origin;
    const ranges = new Map<string, KeptRange & { readonly names: Set<string>; readonly byDay: Set<string> }>();
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
      for (const name of countingOf(each)?.kept ?? []) {
        range.names.add(name);
        if (each.type.shape === 'series') range.byDay.add(name);
      }
    }
    const [first] = counts;
    if (!first) throw new Error('Nothing is counted from kept counts.');
    const attributes = { 'db.system.name': 'postgresql', 'db.query.summary': keptCounts.name };
    const read = await traced(`SQL ${keptCounts.name}`, { kind: 'client', attributes }, () =>
      readKeptCounts(client, first.context, [...ranges.values()], counter.cache),
    );
    return new Map([...ranges.keys()].flatMap((range, nth) => (read[nth] ? [[range, read[nth]] as const] : [])));
  }
}

const countingOf = ({ type, isTotal }: AskedCount): SessionCounting | undefined =>
  isTotal ? type.total : type.sessionColumns;

/** What is counted at once. */
const rangeOf = ({ from: source, context: { from, to } }: AskedCount): string => `${source} ${from} ${to}`;

/** The types of a request have the same filters, but perhaps other ranges and pages. */
const keyOf = ({ type, context, from: source, isTotal }: AskedCount): string => {
  const { from, to, page, sort, granularity, isLimited, minSamples } = context;
  return JSON.stringify([type.name, source, isTotal, from, to, page, sort, granularity, isLimited, minSamples]);
};

/** What every selection needs. */
const ALWAYS: readonly SessionField[] = ['visitor', 'first_at', 'duration_ms', 'flags'];

function wantedBy(asked: readonly AskedCount[]): WantedColumns {
  const fields = new Set<SessionField>([...ALWAYS, 'country', 'device_type']);
  const units = new Set<Unit>(['views']);
  for (const each of asked) {
    const { fields: own = [], units: ofSessions = [] } = countingOf(each) ?? {};
    for (const field of own) fields.add(field);
    for (const unit of ofSessions) units.add(unit);
    for (const filter of each.context.filters) if (!isAboutPages(filter)) fields.add(filter.field as SessionField);
  }
  return { fields: [...fields], units: [...units] };
}

async function countedType(on: Queryable, asked: AskedCount): Promise<CountedType> {
  const { type, context, isTotal } = asked;
  const lookup = countingOf(asked)?.lookup;
  const { table: _, beside: __, ...question } = context;
  return { name: type.name, question, lookup: lookup ? await run<LookedUp>(on, lookup(context)) : [], isTotal };
}
