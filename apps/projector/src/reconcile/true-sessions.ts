import { sessions as sessionsModel } from '@ledgerline/contracts/read-models/sessions';
import { websiteDays } from '@ledgerline/contracts/read-models/website-days';
import type { Session } from '@ledgerline/domain/sessions/session';
import type { RowDifference } from '@ledgerline/platform/database/compare-rows';
import { run, type Queryable } from '@ledgerline/platform/database/pool';
import type { Row } from '@ledgerline/platform/database/read-model-rows';
import { deleteRows, updateRows, upsert } from '@ledgerline/platform/database/read-model-upsert';
import { identifier, sql } from '@ledgerline/platform/database/sql';
import type { StoredVisitor } from '../projections/projection-group';
import { DayChanges } from '../projections/websites/day-changes';
import { EVENT_FACTS } from '../projections/websites/event-facts.projections';
import { sessionOfFacts } from '../projections/websites/fact-changes';
import { actorKeyOf, sessionRow } from '../projections/websites/session-rows';
import { writeTo, type WrittenTables } from '../projections/written-tables';
import type { VisitorHits } from '../projections/websites/visitor-hits';

/** A visitor, or what stands for one, as stored and as the log has it. */
export interface ComparedVisitor {
  readonly actor: string;
  readonly visitor: string | null;
  readonly number: number | null;
  readonly stored: readonly Session[];
  readonly actual: readonly Session[];
}

/** By {@link actorKeyOf}: what the log has of visitors, their sessions as they follow from that and as they are stored. */
interface Known {
  readonly hits: ReadonlyMap<string, VisitorHits>;
  readonly actual: ReadonlyMap<string, readonly Session[]>;
  readonly stored: ReadonlyMap<string, StoredVisitor>;
  /** The number of a visitor who has none. */
  readonly nextNumber: () => number;
}

/** Those of the visitors whose stored sessions are not those of the log. */
export function differingVisitors(
  website: number,
  actors: Iterable<string>,
  { hits, actual: sessionsOf, stored, nextNumber }: Known,
): ComparedVisitor[] {
  const differing: ComparedVisitor[] = [];
  for (const actor of actors) {
    const key = actorKeyOf({ website, actor });
    const [visit, known] = [hits.get(key), stored.get(key)];
    const visitor = visit === undefined && known?.number !== null ? actor : (visit?.visitor ?? null);
    const actual = sessionsOf.get(key) ?? [];
    const number = visitor === null ? null : (known?.number ?? nextNumber());
    const compared = { actor, visitor, number, stored: known?.sessions ?? [], actual };
    if (differenceOf(website, [compared]) !== undefined) differing.push(compared);
  }
  return differing;
}

/** Numbers of visitors of a website that none has: those of visitors whose sessions were lost, at most so many. */
export async function freeNumbers(on: Queryable, schema: string, website: number, limit: number): Promise<number[]> {
  const rows = await run<{ number: number }>(
    on,
    sql`select number from ${identifier(schema, websiteDays.name)}, generate_series(0, visitors - 1) number
        where website = ${website}
      except select visitor_number from ${identifier(schema, sessionsModel.name)} where website = ${website}
      order by 1 limit ${limit}`,
  );
  return rows.map(({ number }) => number);
}

/** How the stored sessions of visitors differ from the log's; undefined = not at all. */
export function differenceOf(website: number, visitors: readonly ComparedVisitor[]): RowDifference | undefined {
  const rows: {
    readonly kind: 'missing' | 'extra' | 'changed';
    readonly expected: Row | null;
    readonly found: Row | null;
  }[] = [];
  for (const visitor of visitors) {
    const rowOf = (session: Session): Row => sessionRow({ website, ...visitor }, session);
    const stored = new Map(visitor.stored.map((session) => [session.id, rowOf(session)]));
    for (const session of visitor.actual) {
      const [expected, found] = [rowOf(session), stored.get(session.id)];
      stored.delete(session.id);
      if (!found) rows.push({ kind: 'missing', expected, found: null });
      else if (JSON.stringify(found) !== JSON.stringify(expected)) rows.push({ kind: 'changed', expected, found });
    }
    for (const found of stored.values()) rows.push({ kind: 'extra', expected: null, found });
  }
  const [first] = rows;
  const count = (kind: string) => rows.filter((row) => row.kind === kind).length;
  return (
    first && {
      expected: first.expected,
      found: first.found,
      missing: count('missing'),
      extra: count('extra'),
      changed: count('changed'),
    }
  );
}

/** Replaces the stored sessions of visitors by those of the log, and opens the days that are sealed with them. */
export async function replaceSessions(
  on: Queryable,
  tables: WrittenTables,
  website: number,
  visitors: readonly ComparedVisitor[],
): Promise<void> {
  const keys = visitors.flatMap(({ actor, stored }) => stored.map(({ id: session }) => ({ website, actor, session })));
  if (keys.length > 0) await run(on, deleteRows(tables.state, sessionsModel, keys));
  const rows = visitors.flatMap((visitor) =>
    visitor.actual.map((session) => sessionRow({ website, ...visitor }, session)),
  );
  if (rows.length > 0) await run(on, upsert(tables.state, sessionsModel, rows));
  for (const { builds, kind } of EVENT_FACTS) {
    const facts = visitors.flatMap(({ actor, actual }) =>
      actual.flatMap((session) => factKeys(website, actor, session, kind)),
    );
    if (facts.length === 0) continue;
    const statements = writeTo(tables, builds, (schema, model) => updateRows(schema, model, facts));
    for (const statement of statements) await run(on, statement);
  }
  const days = new DayChanges();
  days.add(
    website,
    visitors.flatMap(({ stored, actual }) => [...stored, ...actual]),
  );
  for (const statement of days.statements(tables)) await run(on, statement);
}

/** The rows of facts of a session, which say which one they lie in. */
const factKeys = (website: number, actor: string, session: Session, kind: number): Row[] =>
  session.hits
    .filter((hit) => hit.kind === kind)
    .map(({ at, id }) => ({ website, at, id, actor, session: sessionOfFacts(session) }));
