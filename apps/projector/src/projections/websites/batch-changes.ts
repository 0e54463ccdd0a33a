import { keptCounts } from '@ledgerline/contracts/read-models/kept-counts';
import { linkDomains } from '@ledgerline/contracts/read-models/link-domains';
import { HIT, sessions as sessionsModel } from '@ledgerline/contracts/read-models/sessions';
import { addHits } from '@ledgerline/domain/sessions/add-hits';
import type { Queryable } from '@ledgerline/platform/database/pool';
import { FoldedRows, type Row } from '@ledgerline/platform/database/read-model-rows';
import { append, deleteRows, upsert } from '@ledgerline/platform/database/read-model-upsert';
import type { Sql } from '@ledgerline/platform/database/sql';
import type { StoredVisitor } from '../projection-group';
import { upsertInto, writeTo, type WrittenTables } from '../written-tables';
import { DayChanges } from './day-changes';
import { FactChanges } from './fact-changes';
import { KeptChanges } from './kept-changes';
import { KeptRows } from './kept-rows';
import { sessionRow } from './session-rows';
import type { VisitorHits } from './visitor-hits';
import type { WebsiteStates } from './website-states';

/** What a batch changes: sessions that were added or replaced, sessions that are gone, and what is kept. */
export class BatchChanges {
  /** Hits of the changed sessions. */
  hits = 0;
  private readonly sessions: Row[] = [];
  private readonly gone: Row[] = [];
  private readonly days = new DayChanges();
  private readonly kept = new KeptChanges();
  private readonly keptRows = new KeptRows();
  private readonly facts = new FactChanges(this.kept);
  private readonly links = new FoldedRows(linkDomains);

  /** @param domains the host of each href, as text ids */
  constructor(
    private readonly domains: ReadonlyMap<number, number>,
    private readonly websites: WebsiteStates,
  ) {
    for (const [href, domain] of domains) this.kept.addDomain(href, domain);
  }

  /** Adds a visit and returns the visitor as it is stored afterwards. */
  add(visit: VisitorHits, stored: StoredVisitor | undefined): StoredVisitor {
    const { website, actor, visitor } = visit;
    this.websites.add(visit);
    this.addLinks(visit);
    const number = visitor === null ? null : (stored?.number ?? this.websites.nextVisitor(website));
    const before = stored?.sessions ?? [];
    const after = addHits(visitor, before, visit.arrivals);
    const [old, now] = [new Set(before), new Set(after)];
    const added = after.filter((session) => !old.has(session));
    const removed = before.filter((session) => !now.has(session));
    for (const session of added) {
      this.sessions.push(sessionRow({ ...visit, number }, session));
      this.hits += session.hits.length;
    }
    const gone = removed.filter(({ id }) => !added.some((session) => session.id === id));
    for (const { id } of gone) this.gone.push({ website, actor, session: id });
    this.facts.add(visit, { added, removed, gone, unwritten: stored?.columns });
    this.days.add(website, [...added, ...removed]);
    this.kept.addVisitor(visit, { added, removed, staying: after.filter((session) => old.has(session)) });
    return { number, sessions: after, columns: visit.columns };
  }

  private addLinks({ website, arrivals }: VisitorHits): void {
    for (const { hit } of arrivals) {
      const domain = hit.kind === HIT.outgoing ? this.domains.get(hit.text) : undefined;
      if (domain !== undefined) this.links.add({ website, value: hit.text, domain });
    }
  }

  /** Reads and computes what else the statements need; to be called after all visits were added. */
  async finish(on: Queryable, tables: WrittenTables, pause: () => Promise<void>): Promise<void> {
    await this.facts.takeOut(on, tables);
    if (tables.targetsOf(keptCounts).length === 0) return;
    for (const [count, pack] of this.kept.packs()) {
      this.keptRows.add(count, pack);
      await pause();
    }
  }

  *statements(tables: WrittenTables): Iterable<Sql> {
    if (this.gone.length > 0) yield deleteRows(tables.state, sessionsModel, this.gone);
    if (this.sessions.length > 0) yield upsert(tables.state, sessionsModel, this.sessions);
    yield* this.websites.statements(tables);
    yield* this.days.statements(tables);
    yield* this.facts.statements(tables);
    const [kept, links] = [this.keptRows.values(), this.links.values()];
    if (kept.length > 0) yield* writeTo(tables, keptCounts, (schema, model) => append(schema, model, kept));
    if (links.length > 0) yield* upsertInto(tables, linkDomains, links);
  }
}
