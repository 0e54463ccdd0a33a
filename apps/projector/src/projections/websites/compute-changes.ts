import { HIT } from '@ledgerline/contracts/read-models/sessions';
import type { Queryable } from '@ledgerline/platform/database/pool';
import type { FoldedRows } from '@ledgerline/platform/database/read-model-rows';
import type { Sql } from '@ledgerline/platform/database/sql';
import { yieldToEventLoop } from '@ledgerline/platform/log/yield-to-event-loop';
import type { Changes, StoredVisitor } from '../projection-group';
import { upsertInto, type WrittenTables } from '../written-tables';
import { BatchChanges } from './batch-changes';
import type { HrefDomains } from './href-domains';
import { loadVisitors } from './session-rows';
import type { VisitorHits } from './visitor-hits';
import { statesBefore, WebsiteStates } from './website-states';

type Visits = ReadonlyMap<string, VisitorHits>;
type StoredVisitors = ReadonlyMap<string, StoredVisitor>;

interface Batch {
  readonly visits: Visits;
  /** Rows that depend on their events alone, one per key. */
  readonly others: readonly FoldedRows[];
  readonly domains: HrefDomains;
}

/** Loads the sessions of all visitors in the batch, adds their hits, and returns what that changes in every table. */
export async function computeChanges(
  on: Queryable,
  tables: WrittenTables,
  { visits, domains, others }: Batch,
  unwritten: Changes | undefined,
): Promise<Changes> {
  const written = others
    .filter(({ size }) => size > 0)
    .flatMap((rows) => upsertInto(tables, rows.model, rows.values()));
  if (visits.size === 0) return { statements: written };
  const before = await visitorsBefore(on, tables.state, visits, unwritten?.visitors);
  const websites = new WebsiteStates(await statesBefore(on, tables.state, visits.values(), unwritten?.websites));
  const changes = new BatchChanges(await resolveDomains(domains, visits, before), websites);
  const visitors = new Map<string, StoredVisitor>();
  const pause = yieldToEventLoop();
  for (const [key, visit] of visits) {
    visitors.set(key, changes.add(visit, before.get(key)));
    await pause();
  }
  await changes.finish(on, tables, pause);
  const statements: Sql[] = [];
  for (const statement of changes.statements(tables)) {
    statements.push(statement);
    await pause();
  }
  return { statements: [...statements, ...written], visitors, websites: websites.after, hits: changes.hits };
}

/** From the table, or from the batch before while that is not written yet. */
async function visitorsBefore(
  on: Queryable,
  schema: string,
  visits: Visits,
  unwritten: StoredVisitors = new Map(),
): Promise<StoredVisitors> {
  const wanted = [...visits].filter(([key]) => !unwritten.has(key)).map(([, visit]) => visit);
  const visitors = await loadVisitors(on, schema, wanted);
  for (const key of visits.keys()) {
    const known = unwritten.get(key);
    if (known) visitors.set(key, known);
  }
  return visitors;
}

/** The hosts of everything these visitors clicked, now or before. */
async function resolveDomains(
  domains: HrefDomains,
  visits: Visits,
  before: StoredVisitors,
): Promise<ReadonlyMap<number, number>> {
  const hrefs = new Map<number, Set<number>>();
  for (const [key, { website, arrivals }] of visits) {
    const clicked = (before.get(key)?.sessions ?? []).filter(({ outgoingLinks }) => outgoingLinks > 0);
    for (const { kind, text } of [...arrivals.map(({ hit }) => hit), ...clicked.flatMap(({ hits }) => hits)]) {
      if (kind === HIT.outgoing) hrefs.set(website, (hrefs.get(website) ?? new Set()).add(text));
    }
  }
  const resolved = new Map<number, number>();
  for (const [website, texts] of hrefs) {
    for (const [href, domain] of await domains.resolve(website, [...texts])) resolved.set(href, domain);
  }
  return resolved;
}
