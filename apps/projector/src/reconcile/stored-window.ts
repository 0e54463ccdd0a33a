import type { ReadModel } from '@ledgerline/contracts/read-models/read-model';
import { HIT, sessions as sessionsModel } from '@ledgerline/contracts/read-models/sessions';
import type { Session } from '@ledgerline/domain/sessions/session';
import { run, type Queryable } from '@ledgerline/platform/database/pool';
import { identifier, sql } from '@ledgerline/platform/database/sql';
import { yieldToEventLoop } from '@ledgerline/platform/log/yield-to-event-loop';
import { EVENT_FACTS } from '../projections/websites/event-facts.projections';
import type { FactColumns } from '../projections/websites/fact-sums';
import type { HrefDomains } from '../projections/websites/href-domains';
import { loadVisitors } from '../projections/websites/session-rows';
import type { WrittenTables } from '../projections/written-tables';
import { ExpectedRollups, type WebsiteWindow } from './expected-rollups';
import { answeringTable } from './live-partition';
import { DayCounts, type TableCounts } from './log-counts';

/** Clocks change by less than that; what is read too early or too late is left out by its day. */
const MARGIN_MS = 3 * 3_600_000;
const VISITORS_AT_ONCE = 1_000;

/** What follows from the sessions and facts in the tables for some days of a website, and which events these hold. */
export async function readWindow(
  on: Queryable,
  tables: WrittenTables,
  of: WebsiteWindow,
  domains: HrefDomains,
): Promise<{ readonly expected: ExpectedRollups; readonly counts: ReadonlyMap<number, TableCounts> }> {
  const { website, calendar, since, until } = of;
  const hosts = new Map<number, number>();
  const expected = new ExpectedRollups(of, (href) => found(hosts.get(href), href));
  const counts = new DayCounts();
  const pause = yieldToEventLoop();
  const count = (table: string, at: number) => {
    const day = calendar.day(at);
    if (day >= since && day <= until) counts.add(table, day, at);
  };
  const actors = await actorsIn(on, tables.state, of);
  for (let from = 0; from < actors.length; from += VISITORS_AT_ONCE) {
    const some = actors.slice(from, from + VISITORS_AT_ONCE).map((actor) => ({ website, actor }));
    const visitors = await loadVisitors(on, tables.state, some);
    const hrefs = hrefsOf([...visitors.values()].flatMap(({ sessions }) => sessions));
    for (const [href, host] of await domains.resolve(website, hrefs)) hosts.set(href, host);
    for (const [key, { number, sessions }] of visitors) {
      const visitor = number === null ? null : (key.split(' ')[1] ?? null);
      for (const { session } of expected.addSessions(visitor, sessions)) {
        for (const { at } of session.hits) count(sessionsModel.name, at);
      }
      await pause();
    }
  }
  for (const { builds } of EVENT_FACTS) {
    const answering = answeringTable(tables, builds);
    const isWhole = answering?.model === builds;
    if (!isWhole) expected.leaveOut(builds);
    if (!answering) continue;
    for (const { at, ...columns } of await factsIn(on, answering, of)) {
      const day = calendar.day(at);
      if (isWhole && day >= since && day <= until) expected.addFact(builds, at, columns);
      count(builds.name, at);
      await pause();
    }
  }
  return { expected, counts: counts.days };
}

/** The visitors with a session that may reach into the days, and what stands for those without one. */
async function actorsIn(on: Queryable, schema: string, { website, begin, end }: WebsiteWindow): Promise<string[]> {
  const rows = await run<{ actor: string }>(
    on,
    sql`select distinct replace(actor::text, '-', '') as actor from ${identifier(schema, sessionsModel.name)}
      where website = ${website} and first_at < ${new Date(end + MARGIN_MS)} and last_at >= ${new Date(begin - MARGIN_MS)}`,
  );
  return rows.map(({ actor }) => actor);
}

const hrefsOf = (sessions: readonly Session[]): number[] => {
  const clicked = sessions.filter(({ outgoingLinks }) => outgoingLinks > 0).flatMap(({ hits }) => hits);
  return [...new Set(clicked.flatMap(({ kind, text }) => (kind === HIT.outgoing ? [text] : [])))];
};

/** Those columns of the facts that can be added up. */
function factsIn(
  on: Queryable,
  { table, model }: { readonly table: string; readonly model: ReadModel },
  { website, begin, end }: WebsiteWindow,
) {
  const numbers = Object.entries(model.columns).flatMap(([name, { type, merge }]) =>
    merge !== 'key' && /^(smallint|integer|bigint)/.test(type) ? [identifier(name).text] : [],
  );
  const text = `select ${numbers.map((name) => `${name}::float8`).join(', ')},
      (extract(epoch from at) * 1000)::float8 as at
    from ${table} where website = $1 and at >= $2 and at < $3`;
  const values = [website, new Date(begin - MARGIN_MS), new Date(end + MARGIN_MS)];
  return run<FactColumns & { at: number }>(on, { text, values });
}

function found(host: number | undefined, href: number): number {
  if (host === undefined) throw new RangeError(`The host of the link with the number ${href} was not resolved.`);
  return host;
}
