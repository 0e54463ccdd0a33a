import type { SessionField, Unit } from '@ledgerline/contracts/read-models/session-days';
import { run, type Queryable } from '@ledgerline/platform/database/pool';
import type { WantedColumns } from '@ledgerline/platform/session-days/session-chunks';
import type { Table } from '@ledgerline/domain/counting/tables';
import type { SqlRow } from '../sql-row';
import type { LookedUp } from '@ledgerline/domain/counting/asked';
import { EVERY_ROW, type QueryContext, type QueryType } from '../query-type';
import {
  packedColumns,
  type CountedColumns,
  type CountedType,
  type CountingTask,
  type TaskCounter,
} from './count-sessions';
import { CountedTexts } from './counted-texts';
import { listSealedDays, readOpenSessions } from './day-rows';
import { readColumns } from './read-columns';
import { isAboutPages } from '@ledgerline/domain/counting/select-sessions';

/** A type of a request, and what it is answered from. */
export type AskedType = readonly [QueryType, QueryContext];

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

/** The types of a request that are counted from columns: what those of one range need is read once, and counted at once. */
export class RequestCounts {
  private readonly byRange = new Map<string, Promise<ReadonlyMap<string, CountedColumns>>>();
  private readonly texts: CountedTexts;
  /** Names of types whose rows of the range that is asked for have been looked up: not if rollups answered it. */
  private readonly lookedUp = new Set<string>();

  constructor(
    private readonly origin: CountingOrigin,
    private readonly asked: readonly AskedType[],
  ) {
    this.texts = new CountedTexts(origin.client);
  }

  /** The rows of a type, as {@link withTexts} has them. */
  async rowsOf(type: QueryType, context: QueryContext): Promise<readonly SqlRow[]> {
    const key = keyOf([type, context]);
    const known = this.asked.some((each) => keyOf(each) === key);
    const ofRange = ([, { from, to }]: AskedType) => from === context.from && to === context.to;
    const range = known ? `${context.from} ${context.to}` : key;
    const counting =
      this.byRange.get(range) ?? this.countTogether(known ? this.asked.filter(ofRange) : [[type, context]]);
    this.byRange.set(range, counting);
    counting.catch(() => this.byRange.delete(range)); // thrown to the type that asked; the next one tries again
    const counted = (await counting).get(key);
    if (!counted) throw new Error(`${type.name} was not counted.`);
    if ('failure' in counted) throw counted.failure;
    return this.withTexts(type, context, counted);
  }

  /** Rows that were counted; beside rows of another range, only those that may have the same texts. */
  async withTexts(type: QueryType, { beside }: QueryContext, counted: Table): Promise<readonly SqlRow[]> {
    if (!beside || !this.lookedUp.has(type.name)) await this.texts.lookUp([[counted, type]]);
    this.lookedUp.add(type.name);
    return this.texts.rowsOf(counted, type);
  }

  private async countTogether(asked: readonly AskedType[]): Promise<ReadonlyMap<string, CountedColumns>> {
    const { counter, signal, deadline } = this.origin;
    const task = await this.taskOf(asked);
    const late = AbortSignal.timeout(deadline.left());
    const counted = await counter.count(task, { signal, late }).catch((error: unknown) => {
      if (late.aborted) deadline.left(); // throws what a request without time is answered with
      throw error;
    });
    const found = asked.flatMap((each, at) => (counted[at] ? [[each, counted[at]] as const] : []));
    const onPages = found.flatMap(([[type, { page }], each]) =>
      page.limit === EVERY_ROW.limit || 'failure' in each ? [] : [[each, type] as const],
    );
    for (const [, { name }] of onPages) this.lookedUp.add(name);
    await this.texts.lookUp(onPages); // at once: the others are looked up when it is known which are wanted
    return new Map(found.map(([each, result]) => [keyOf(each), result]));
  }

  /** Everything that these types of one range are counted from. */
  private async taskOf(asked: readonly AskedType[]): Promise<Omit<CountingTask, 'isDropped'>> {
    const { client, counter } = this.origin;
    const wanted = wantedBy(asked);
    const types = await Promise.all(asked.map((each) => countedType(client, each)));
    const [first] = asked;
    if (!first) throw new Error('No type is to be counted.');
    const [, context] = first;
    const sealed = await listSealedDays(client, context);
    const slices = await readOpenSessions(client, context, sealed, wanted);
    const columns = packedColumns(wanted);
    const pieces = await readColumns(client, context, sealed.pieces, { columns, cache: counter.cache });
    return { wanted, rows: sealed.rows, pieces, slices, types };
  }
}

/** The types of a request have the same filters, but perhaps other ranges and pages. */
const keyOf = ([{ name }, { from, to, page, sort, granularity, isLimited, minSamples }]: AskedType): string =>
  JSON.stringify([name, from, to, page, sort, granularity, isLimited, minSamples]);

/** What every selection needs. */
const ALWAYS: readonly SessionField[] = ['visitor', 'first_at', 'duration_ms', 'flags'];

function wantedBy(asked: readonly AskedType[]): WantedColumns {
  const fields = new Set<SessionField>([...ALWAYS, 'country', 'device_type']);
  const units = new Set<Unit>(['views']);
  for (const [{ sessionColumns }, { filters }] of asked) {
    for (const field of sessionColumns?.fields ?? []) fields.add(field);
    for (const unit of sessionColumns?.units ?? []) units.add(unit);
    for (const filter of filters) if (!isAboutPages(filter)) fields.add(filter.field as SessionField);
  }
  return { fields: [...fields], units: [...units] };
}

async function countedType(on: Queryable, [type, context]: AskedType): Promise<CountedType> {
  const lookup = type.sessionColumns?.lookup;
  const { table: _, beside: __, ...question } = context;
  return { name: type.name, question, lookup: lookup ? await run<LookedUp>(on, lookup(context)) : [] };
}
