import { NO_TEXT } from '@ledgerline/contracts/read-models/dictionary';
import type { ReadModel } from '@ledgerline/contracts/read-models/read-model';
import { sessions as sessionsModel } from '@ledgerline/contracts/read-models/sessions';
import { splitByWindow } from '@ledgerline/domain/sessions/local-session';
import type { Session } from '@ledgerline/domain/sessions/session';
import { supersededIn } from '@ledgerline/domain/sessions/session-hit';
import { addsSomething, FoldedRows, mergeRolesOf, type Row } from '@ledgerline/platform/database/read-model-rows';
import { FACT_SUMS, type EVENT_FACTS } from '../projections/websites/event-facts.projections';
import type { FactColumns, FactSum } from '../projections/websites/fact-sums';
import { expandRows, NOTHING_CLOSED, targetsOf, type IsClosed } from '../projections/websites/rollup';
import { ROLLUPS } from '../projections/websites/rollups';
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

type Facts = Pick<(typeof EVENT_FACTS)[number], 'builds' | 'texts'>;

/** What the rollups of a website hold for some days, in blocks of a single day: a function of its sessions and facts. */
export class ExpectedRows {
  /** Of the events in sessions and facts. */
  readonly counts = new DayCounts();
  /** The text ids in sessions and facts, with a day of each. */
  readonly texts = new Map<number, number>();
  /** The weights of each of them in the hits of a day. */
  private readonly inHits = new Map<number, Map<number, number>>();
  private readonly rollups = ROLLUPS.map((rollup) => ({ rollup, rows: new FoldedRows(rollup.builds) }));
  /** The facts of sessions that do not count. */
  private readonly superseded = new Set<string>();
  private readonly sums = new Map(FACT_SUMS.map((model) => [model, new FoldedRows(model)]));

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
    const domainOf = (href: number) => hosts.get(href) ?? NO_TEXT;
    const input = { website, visitor, calendar, window, changed, near, earlier, later: [], domainOf };
    for (const { rollup, rows } of this.rollups) {
      rollup.rowsOf(input, (row) => {
        if (this.has(row)) rows.add(row);
      });
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

  /** Adds an event of a table of facts, and what it adds to sums. */
  addFact(
    { builds: table, texts }: Facts,
    { at, id, actor }: FactKey,
    sums: readonly FactSum[],
    columns: FactColumns,
  ): void {
    const { website } = this.of;
    const day = this.count(table, at);
    if (day === undefined) return;
    for (const name of texts) this.texts.set((columns[name] ?? NO_TEXT) as number, day);
    if (this.superseded.has(keyOf({ at, id, actor }))) return;
    for (const { builds, rowsOf } of sums) {
      for (const row of rowsOf(columns, at)) this.sums.get(builds)?.add({ website, span: 1, day, ...row });
    }
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

  /** These are not known. */
  leaveOut(sums: readonly FactSum[]): void {
    for (const { builds } of sums) this.sums.delete(builds);
  }

  /** The rows of each table. */
  *tables(isClosed: IsClosed): Generator<readonly [ReadModel, readonly Row[]]> {
    for (const { rollup, rows } of this.rollups) {
      // days that are over are in another table, or else in longer blocks, too
      const isMoved = rollup.closed ? isClosed : NOTHING_CLOSED;
      for (const target of targetsOf(rollup)) {
        const expanded = expandRows(target, rows.values(), isMoved);
        yield [target.builds, expanded.filter(({ span = 1 }) => span === 1)];
      }
    }
    for (const [model, rows] of this.sums) {
      const roles = mergeRolesOf(model);
      yield [model, rows.values().filter((row) => addsSomething(row, roles))];
    }
  }

  /** Undefined for an instant on another day. */
  private count({ name }: ReadModel, at: number): number | undefined {
    const { calendar, since, until } = this.of;
    const day = calendar.day(at);
    if (day < since || day > until) return undefined;
    this.counts.add(name, day, at);
    return day;
  }

  private has({ day, hour }: Row): boolean {
    const { since, until, begin, end } = this.of;
    if (hour !== undefined) return (hour as number) >= begin && (hour as number) < end;
    return (day as number) >= since && (day as number) <= until;
  }
}
