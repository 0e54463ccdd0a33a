import { HIT } from '@ledgerline/contracts/read-models/sessions';
import type { Session } from '@ledgerline/domain/sessions/session';
import type { Queryable } from '@ledgerline/platform/database/pool';
import type { Row } from '@ledgerline/platform/database/read-model-rows';
import { upsert } from '@ledgerline/platform/database/read-model-upsert';
import type { Sql } from '@ledgerline/platform/database/sql';
import type { Changes } from '../projection-group';
import { customEventsProjection } from './actions.projections';
import { BatchChanges } from './batch-changes';
import type { HrefDomains } from './href-domains';
import { loadSessions } from './session-rows';
import type { Visit } from './visits';
import { yieldToEventLoop } from './yield-to-event-loop';

type Visits = ReadonlyMap<string, Visit>;
type SessionsByVisitor = ReadonlyMap<string, readonly Session[]>;

export interface Batch {
  readonly visits: Visits;
  readonly customEvents: readonly Row[];
  readonly domains: HrefDomains;
}

/** Loads the sessions of all visitors in the batch, adds their hits, and returns what that changes in every table. */
export async function computeChanges(
  on: Queryable,
  schema: string,
  { visits, domains, customEvents }: Batch,
  unwritten: Changes | undefined,
): Promise<Changes> {
  if (visits.size === 0) return { statements: [] };
  const before = await sessionsBefore(on, schema, visits, unwritten?.sessions);
  const changes = new BatchChanges(await resolveDomains(domains, visits, before));
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
  if (customEvents.length > 0) statements.push(upsert(schema, customEventsProjection.builds, customEvents));
  return { statements, sessions, hits: changes.hits };
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
