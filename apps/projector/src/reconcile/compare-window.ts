import { NO_TEXT } from '@ledgerline/contracts/read-models/dictionary';
import { keptCounts } from '@ledgerline/contracts/read-models/kept-counts';
import type { ReadModel } from '@ledgerline/contracts/read-models/read-model';
import { HIT, sessions as sessionsModel } from '@ledgerline/contracts/read-models/sessions';
import type { Session } from '@ledgerline/domain/sessions/session';
import { run, type Queryable } from '@ledgerline/platform/database/pool';
import { identifier, sql } from '@ledgerline/platform/database/sql';
import { yieldToEventLoop } from '@ledgerline/platform/log/yield-to-event-loop';
import { keptDifferences } from '../comparing/kept-difference';
import { readPacks } from '../comparing/kept-packs';
import { EVENT_FACTS, type FactColumns } from '../projections/websites/event-facts.projections';
import { numbersOf } from '../projections/websites/fact-changes';
import type { HrefDomains } from '../projections/websites/href-domains';
import { loadVisitors } from '../projections/websites/session-rows';
import { readTextHashes } from '../projections/websites/text-faults';
import type { WrittenTables } from '../projections/written-tables';
import { ExpectedCounts, type FactKey } from './expected-counts';
import { keptFindings, sumByDay, type TableDifference } from './findings';
import { compareLinkDomains, LINKS_CLICKED } from './link-domains';
import { answeringTable } from './live-partition';
import type { TableCounts } from './log-counts';
import type { WebsiteWindow } from './website-parts';

/** Clocks change by less than that; what is read too early or too late is left out by its day. */
const MARGIN_MS = 3 * 3_600_000;
const VISITORS_AT_ONCE = 1_000;

interface ComparedWindow {
  readonly differences: readonly TableDifference[];
  /** The events that sessions and facts hold of each day. */
  readonly counts: ReadonlyMap<number, TableCounts>;
}

/** Compares what is kept of some days with what follows from the stored sessions and facts. */
export async function compareWindow(
  on: Queryable,
  tables: WrittenTables,
  of: WebsiteWindow,
  domains: HrefDomains,
): Promise<ComparedWindow> {
  const expected = new ExpectedCounts(of);
  await addSessions(on, tables, expected, domains);
  await addFacts(on, tables, expected);
  const differences = await compareKept(on, tables, expected);
  differences.push(...(await missingTexts(on, expected)));
  return { differences, counts: expected.counts.days };
}

async function compareKept(on: Queryable, tables: WrittenTables, expected: ExpectedCounts): Promise<TableDifference[]> {
  const answering = answeringTable(tables, keptCounts);
  if (!answering) return [];
  const { website } = expected.of;
  const differences: TableDifference[] = [];
  const pause = yieldToEventLoop();
  for (const [count, pack] of expected.packs()) {
    await pause();
    if (count === LINKS_CLICKED) differences.push(...(await compareLinkDomains(on, tables, pack)));
    if (!(count.name in answering.model.columns)) continue;
    const stored = await readPacks(on, answering.table, count, [website], expected.of);
    differences.push(...keptFindings(count, keptDifferences(count, { pack, unreadable: [] }, stored)));
  }
  return differences;
}

/** By day. */
async function missingTexts(on: Queryable, expected: ExpectedCounts): Promise<readonly TableDifference[]> {
  const { of, texts } = expected;
  const hashes = await readTextHashes(on, of.website, [...texts.keys()].filter(isText));
  expected.countTexts(hashes);
  const missing = [...texts.keys()].filter((id) => isText(id) && !hashes.has(id));
  const none = { subject: null, missing: 1, extra: 0, changed: 0, found: null };
  const each = missing.map((id) => ({ ...none, at: texts.get(id) ?? of.since, expected: { id } }));
  return sumByDay('dictionary', each, (day) => day);
}

const isText = (id: number) => id !== NO_TEXT;

async function addSessions(on: Queryable, { state }: WrittenTables, expected: ExpectedCounts, domains: HrefDomains) {
  const { website, begin, end } = expected.of;
  const visitors = await run<{ actor: string }>(
    on,
    sql`select distinct replace(actor::text, '-', '') as actor from ${identifier(state, sessionsModel.name)}
      where website = ${website} and first_at < ${new Date(end + MARGIN_MS)} and last_at >= ${new Date(begin - MARGIN_MS)}`,
  );
  const pause = yieldToEventLoop();
  for (let from = 0; from < visitors.length; from += VISITORS_AT_ONCE) {
    const some = visitors.slice(from, from + VISITORS_AT_ONCE).map(({ actor }) => ({ website, actor }));
    const loaded = await loadVisitors(on, state, some);
    const hrefs = hrefsOf([...loaded.values()].flatMap(({ sessions }) => sessions)).filter(isText);
    const known = await readTextHashes(on, website, hrefs);
    const hosts = await domains.resolve(
      website,
      hrefs.filter((href) => known.has(href)),
    );
    for (const [key, { number, sessions }] of loaded) {
      const [, actor = ''] = key.split(' ');
      expected.addSessions({ actor, visitor: number === null ? null : actor }, sessions, hosts);
      await pause();
    }
  }
}

const hrefsOf = (sessions: readonly Session[]): number[] => {
  const clicked = sessions.filter(({ outgoingLinks }) => outgoingLinks > 0).flatMap(({ hits }) => hits);
  return [...new Set(clicked.flatMap(({ kind, text }) => (kind === HIT.outgoing ? [text] : [])))];
};

async function addFacts(on: Queryable, tables: WrittenTables, expected: ExpectedCounts): Promise<void> {
  const pause = yieldToEventLoop();
  for (const facts of EVENT_FACTS) {
    const { builds } = facts;
    const answering = answeringTable(tables, builds);
    const isWhole = answering?.model === builds;
    if (!isWhole) expected.leaveOut(facts);
    if (!answering) continue;
    for (const { at, id, actor, ...columns } of await factsIn(on, answering, expected.of)) {
      expected.addFact(facts, { at, id, actor }, columns, isWhole);
      await pause();
    }
  }
}

/** Those columns of the facts that can be added up. */
function factsIn(
  on: Queryable,
  { table, model }: { readonly table: string; readonly model: ReadModel },
  { website, begin, end }: WebsiteWindow,
) {
  const text = `select ${numbersOf(model)}, replace(id::text, '-', '') as id, replace(actor::text, '-', '') as actor,
      (extract(epoch from at) * 1000)::float8 as at
    from ${table} where website = $1 and at >= $2 and at < $3`;
  const values = [website, new Date(begin - MARGIN_MS), new Date(end + MARGIN_MS)];
  return run<FactColumns & FactKey>(on, { text, values });
}
