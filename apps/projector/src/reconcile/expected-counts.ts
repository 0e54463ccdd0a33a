import { NO_TEXT } from '@ledgerline/contracts/read-models/dictionary';
import type { ReadModel } from '@ledgerline/contracts/read-models/read-model';
import { HIT, sessions as sessionsModel } from '@ledgerline/contracts/read-models/sessions';
import type { KeptCount } from '@ledgerline/domain/counting/count';
import { layoutOf, mergePacks, type PackRows } from '@ledgerline/domain/counting/kept-pack';
import { KEPT_COUNTS } from '@ledgerline/domain/counts/website-counts';
import { splitByWindow } from '@ledgerline/domain/sessions/local-session';
import type { Session } from '@ledgerline/domain/sessions/session';
import { supersededIn } from '@ledgerline/domain/sessions/session-hit';
import { rowsOn } from '../comparing/kept-packs';
import type { EVENT_FACTS, FactColumns } from '../projections/websites/event-facts.projections';
import { KeptChanges } from '../projections/websites/kept-changes';
import { textsOfHit, weightOf } from '../projections/websites/text-faults';
import { DayCounts, TEXTS } from './log-counts';
import type { WebsiteWindow } from './website-parts';

/** Of a row in a table of facts; ids as 32 hex digits. */
export interface FactKey {
  readonly at: number;
  readonly id: string;
  readonly actor: string;
}

const keyOf = ({ at, id, actor }: FactKey): string => `${actor} ${at} ${id}`;

type Facts = Pick<(typeof EVENT_FACTS)[number], 'builds' | 'texts' | 'unit'>;

/** What is kept of a website on some days: a function of its sessions and facts. */
export class ExpectedCounts {
  /** Of the events in sessions and facts. */
  readonly counts = new DayCounts();
  /** The text ids in sessions and facts, with a day of each. */
  readonly texts = new Map<number, number>();
  /** The weights of each of them in the hits of a day. */
  private readonly inHits = new Map<number, Map<number, number>>();
  private readonly kept = new KeptChanges();
  /** Facts that are not known. */
  private readonly unknown = new Set<unknown>();
  /** The facts of sessions that do not count. */
  private readonly superseded = new Set<string>();

  constructor(readonly of: WebsiteWindow) {}

  /** Adds a visitor, with all sessions and the hosts of their hrefs. */
  addSessions(
    { actor, visitor }: { readonly actor: string; readonly visitor: string | null },
    all: readonly Session[],
    hosts: ReadonlyMap<number, number>,
  ): void {
    const { website, calendar, since, until } = this.of;
    const window = { since, until };
    const { near, earlier } = splitByWindow(all, calendar, window);
    if (near.length === 0) return;
    const changed = near.map(({ session }) => session);
    const sessions = [...near, ...earlier].map(({ session }) => session);
    this.kept.addVisitor({ website, visitor, calendar }, { added: sessions, removed: [], staying: [] });
    for (const { hits, outgoingLinks } of sessions) {
      if (outgoingLinks === 0) continue;
      for (const { kind, text } of hits)
        if (kind === HIT.outgoing) this.kept.addDomain(text, hosts.get(text) ?? NO_TEXT);
    }
    for (const { hits, attributes } of changed) {
      for (const hit of supersededIn(hits)) this.superseded.add(keyOf({ at: hit.at, id: hit.id, actor }));
      let last: number | undefined;
      for (const hit of hits) {
        const day = this.count(sessionsModel, hit.at);
        if (day === undefined) continue;
        for (const [place, id] of textsOfHit(hit).entries()) this.addText(id, day, weightOf(hit.at, place));
        last = day;
      }
      if (last === undefined || !attributes) continue;
      for (const id of Object.values(attributes)) this.texts.set(id, last);
    }
  }

  /** Adds an event of a table of facts; `isWhole` = its columns are all known. */
  addFact(
    { builds: table, texts, unit }: Facts,
    { at, id, actor }: FactKey,
    columns: FactColumns,
    isWhole: boolean,
  ): void {
    const { website, calendar } = this.of;
    const day = this.count(table, at);
    if (day === undefined) return;
    for (const name of texts) this.texts.set((columns[name] ?? NO_TEXT) as number, day);
    if (!unit || !isWhole || this.superseded.has(keyOf({ at, id, actor }))) return;
    this.kept.addFact(unit, columns, { website, calendar, at }, 1);
  }

  /** Counts the texts of hits, of which `hashes` has those that the dictionary has. */
  countTexts(hashes: ReadonlyMap<number, number>): void {
    for (const [day, ids] of this.inHits) {
      const { events = 0 } = this.counts.days.get(day)?.get(sessionsModel.name) ?? {};
      const times = [...ids].reduce((sum, [id, weight]) => sum + weight * (hashes.get(id) ?? 0), 0);
      this.counts.addCount(TEXTS, day, { events, times });
    }
  }

  private addText(id: number, day: number, weight: number): void {
    const ofDay = this.inHits.get(day) ?? new Map<number, number>();
    this.inHits.set(day, ofDay.set(id, (ofDay.get(id) ?? 0) + weight));
    this.texts.set(id, day);
  }

  /** What is kept of these facts is not known. */
  leaveOut({ unit }: Facts): void {
    this.unknown.add(unit);
  }

  /** What is kept of each count on these days. */
  *packs(): Iterable<readonly [KeptCount, PackRows]> {
    const isKnown = ({ of }: KeptCount) => typeof of !== 'string' || !this.unknown.has(of);
    const left = new Set(KEPT_COUNTS.filter(isKnown));
    for (const [count, pack] of this.kept.packs())
      if (left.delete(count)) yield [count, rowsOn(count, pack, this.of.website, this.of)];
    for (const count of left) yield [count, mergePacks(layoutOf(count), [])];
  }

  /** Undefined for an instant on another day. */
  private count({ name }: ReadModel, at: number): number | undefined {
    const { calendar, since, until } = this.of;
    const day = calendar.day(at);
    if (day < since || day > until) return undefined;
    this.counts.add(name, day, at);
    return day;
  }
}
