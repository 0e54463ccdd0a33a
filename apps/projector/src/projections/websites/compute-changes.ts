import { HIT } from '@ledgerline/contracts/read-models/sessions';
import type { Session } from '@ledgerline/domain/sessions/session';
import type { Queryable } from '@ledgerline/platform/database/pool';
import type { FoldedRows } from '@ledgerline/platform/database/read-model-rows';
import { upsert } from '@ledgerline/platform/database/read-model-upsert';
import type { Sql } from '@ledgerline/platform/database/sql';
import { yieldToEventLoop } from '@ledgerline/platform/log/yield-to-event-loop';
import type { Changes } from '../projection-group';
import { BatchChanges } from './batch-changes';
import type { HrefDomains } from './href-domains';
import { LatestDays, latestDaysBefore } from './latest-days';
import { loadSessions } from './session-rows';
import type { VisitorHits } from './visitor-hits';

type Visits = ReadonlyMap<string, VisitorHits>;
type SessionsByVisitor = ReadonlyMap<string, readonly Session[]>;

interface Batch {
  readonly visits: Visits;
  /** Rows that depend on their events alone, one per key. */
  readonly others: readonly FoldedRows[];
  readonly domains: HrefDomains;
}

/** Loads the sessions of all visitors in the batch, adds their hits, and returns what that changes in every table. */
export async function computeChanges(
  on: Queryable,
  schema: string,
  { visits, domains, others }: Batch,
  unwritten: Changes | undefined,
): Promise<Changes> {
  const written = others.filter(({ size }) => size > 0).map((rows) => upsert(schema, rows.model, rows.values()));
  if (visits.size === 0) return { statements: written };
  const before = await sessionsBefore(on, schema, visits, unwritten?.sessions);
  const days = new LatestDays(await latestDaysBefore(on, schema, visits.values(), unwritten?.latestDays));
  const changes = new BatchChanges(await resolveDomains(domains, visits, before), days);
  const sessions = new Map<string, readonly Session[]>();
  const pause = yieldToEventLoop();
  for (const [key, visit] of visits) {
    sessions.set(key, changes.add(visit, before.get(key) ?? []));
    await pause();
  }
  const statements: Sql[] = [];
  for (const statement of changes.statements(schema)) {
    statements.push(statement);
    await pause();
  }
  return { statements: [...statements, ...written], sessions, latestDays: days.after, hits: changes.hits };
}

/** From the table, or from the batch before while that is not written yet. */
async function sessionsBefore(
  on: Queryable,
  schema: string,
  visits: Visits,
  unwritten: SessionsByVisitor = new Map(),
): Promise<SessionsByVisitor> {
  const wanted = [...visits].filter(([key]) => !unwritten.has(key)).map(([, visit]) => visit);
  const sessions = new Map<string, readonly Session[]>(await loadSessions(on, schema, wanted));
  for (const key of visits.keys()) {
    const known = unwritten.get(key);
    if (known) sessions.set(key, known);
  }
  return sessions;
}

/** The hosts of everything these visitors clicked, now or before. */
async function resolveDomains(
  domains: HrefDomains,
  visits: Visits,
  before: SessionsByVisitor,
): Promise<ReadonlyMap<number, number>> {
  const hrefs = new Map<number, Set<number>>();
  for (const [key, { website, arrivals }] of visits) {
    const clicked = (before.get(key) ?? []).filter(({ outgoingLinks }) => outgoingLinks > 0);
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
