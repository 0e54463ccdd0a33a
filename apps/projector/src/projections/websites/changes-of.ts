import { HIT } from '@ledgerline/contracts/read-models/sessions';
import type { Session } from '@ledgerline/domain/sessions/session';
import type { Queryable } from '@ledgerline/platform/database/pool';
import type { Row } from '@ledgerline/platform/database/read-model-rows';
import { upsert } from '@ledgerline/platform/database/read-model-upsert';
import type { Sql } from '@ledgerline/platform/database/sql';
import type { Changes } from '../projection-group';
import { customEventsProjection } from './custom-events.projection';
import { givingWay } from './giving-way';
import type { HrefDomains } from './href-domains';
import { Ledger } from './ledger';
import { loadSessions } from './session-rows';
import type { Visit } from './visit';

export interface Visits {
  readonly visits: ReadonlyMap<string, Visit>;
  readonly customEvents: readonly Row[];
  readonly domains: HrefDomains;
}

/** Loads the sessions of all visitors in the batch, adds their hits, and answers what that changes everywhere. */
export async function changesOf(
  on: Queryable,
  schema: string,
  { visits, domains, customEvents }: Visits,
  unwritten: Changes | undefined,
): Promise<Changes> {
  if (visits.size === 0) return { statements: [] };
  const before = await sessionsBefore(on, schema, visits, unwritten?.sessions);
  const ledger = new Ledger(await domainsOf(domains, visits, before));
  const sessions = new Map<string, readonly Session[]>();
  const giveWay = givingWay();
  for (const [key, visit] of visits) {
    sessions.set(key, ledger.add(visit, before.get(key) ?? []));
    await giveWay();
  }
  const statements: Sql[] = [];
  for (const statement of ledger.statements(schema)) {
    statements.push(statement);
    await giveWay();
  }
  if (customEvents.length > 0) statements.push(upsert(schema, customEventsProjection.builds, customEvents));
  return { statements, sessions, hits: ledger.hits };
}

/** From the table; those the batch before is about to write from memory. */
async function sessionsBefore(
  on: Queryable,
  schema: string,
  visits: Visits['visits'],
  unwritten: Changes['sessions'],
): Promise<Map<string, readonly Session[]>> {
  const wanted = [...visits].filter(([key]) => !unwritten?.has(key)).map(([, visit]) => visit);
  const sessions = new Map<string, readonly Session[]>(await loadSessions(on, schema, wanted));
  for (const key of visits.keys()) {
    const kept = unwritten?.get(key);
    if (kept) sessions.set(key, kept);
  }
  return sessions;
}

/** The hosts of everything these visitors clicked, now or before. */
async function domainsOf(
  domains: HrefDomains,
  visits: ReadonlyMap<string, Visit>,
  loaded: ReadonlyMap<string, readonly Session[]>,
): Promise<ReadonlyMap<number, number>> {
  const hrefs = new Map<number, Set<number>>();
  for (const [key, { website, arrivals }] of visits) {
    const clicked = (loaded.get(key) ?? []).filter(({ outgoingLinks }) => outgoingLinks > 0);
    for (const { kind, word } of [...arrivals.map(({ hit }) => hit), ...clicked.flatMap(({ hits }) => hits)]) {
      if (kind === HIT.outgoing) hrefs.set(website, (hrefs.get(website) ?? new Set()).add(word));
    }
  }
  const known = new Map<number, number>();
  for (const [website, words] of hrefs) {
    for (const [href, domain] of await domains.resolve(website, [...words])) known.set(href, domain);
  }
  return known;
}
