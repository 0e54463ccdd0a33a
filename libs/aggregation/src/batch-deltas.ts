import { randomInt } from 'node:crypto';
import type { Rollup } from '@ledgerline/contracts/aggregates/aggregate';
import { ROLLUPS } from '@ledgerline/contracts/aggregates/website-aggregates';
import type { websiteRollups } from '@ledgerline/contracts/aggregates/website-rollups';
import type { FactUnit } from '@ledgerline/contracts/read-models/event-kinds';
import { SESSION_KIND } from '@ledgerline/contracts/read-models/sessions';
import { splitByWindow, windowOf, type Calendar } from '@ledgerline/contracts/sessions/local-session';
import type { Session } from '@ledgerline/contracts/sessions/session';
import type { ChangedSession } from './changed-rows';
import {
  factsAsChangedSessions,
  changedSessions,
  type ChangedFact,
  type ChangedSessions,
  type History,
} from './changed-sessions';
import { deltasOf, rowsOfDeltas } from './deltas';
import { encodeRollupPart } from './rollup-codec';
import { layoutOf, mergeRollupParts, type RollupRows, type RollupPart } from './rollup-part';
import { mapRecordValues } from './tables';

/** A session that is replaced is removed, and added as it is afterwards. */
interface ChangesOfVisitor {
  readonly added: readonly Session[];
  readonly removed: readonly Session[];
  readonly staying: readonly Session[];
}

interface Visitor {
  /** Text id. */
  readonly website: number;
  /** Null = none. */
  readonly visitor: string | null;
  readonly calendar: Calendar;
}

/** The sessions and facts of a batch that change what is kept of websites. */
export class RollupDeltas {
  private readonly near: ChangedSession[] = [];
  /** All sessions of visitors of whom some are left out. */
  private readonly whole = new Map<number, ChangedSession[]>();
  private readonly histories = new Map<number, History>();
  private readonly facts: ChangedFact[] = [];
  private readonly domains = new Map<number, number>();
  private visitors = 0;
  private sessions = 0;

  /**
   * @param nearest how many sessions on either side of a change are looked at first: most values are found there
   * @param many all sessions of so many times fewer visitors are evaluated on their own, else with those of all others
   */
  constructor(
    private readonly nearest = 4,
    private readonly many = 4,
  ) {}

  /** Adds a visitor with all sessions. */
  addVisitor(of: Visitor, { added, removed, staying }: ChangesOfVisitor): void {
    const { website, calendar } = of;
    const visitor = of.visitor === null ? -1 : this.visitors++;
    const numbers = new Map<string, number>();
    const changed = [
      ...removed.map((session) => this.change(numbers, session, -1)),
      ...added.map((session) => this.change(numbers, session, 1)),
    ].map((change) => ({ ...change, website, calendar, visitor }));
    const kept = visitor < 0 || changed.length === 0 ? [] : staying;
    const near = kept.length > 2 * this.nearest ? this.nearestOf(visitor, of, changed, kept) : kept;
    const add = (into: ChangedSession[], some: readonly Session[]) => {
      for (const change of changed) into.push(change); // they may be more than one call can pass
      for (const session of some) into.push({ session, sign: 0, number: -1, website, calendar, visitor });
    };
    add(this.near, near);
    if (near.length === kept.length) return;
    const all: ChangedSession[] = [];
    add(all, kept);
    this.whole.set(visitor, all);
  }

  addFact(
    unit: FactUnit,
    columns: Readonly<Record<string, unknown>>,
    { website, calendar, at }: Pick<Visitor, 'website' | 'calendar'> & { readonly at: number },
    sign: 1 | -1,
  ): void {
    const fact = { ...mapRecordValues(columns, (value) => (value === null ? -1 : Number(value))), at };
    this.facts.push({ unit, fact, website, calendar, visitor: -1, number: -1, sign });
  }

  /** The host of a link that was clicked, as text ids. */
  addDomain(href: number, domain: number): void {
    this.domains.set(href, domain);
  }

  /** Yields what all of them change in each count, those that change alone. */
  *parts(counts = ROLLUPS): Iterable<readonly [Rollup, RollupRows]> {
    const lookup = Array.from(this.domains, ([value, domain]) => ({ value, domain }));
    let whole: ChangedSessions | undefined;
    const wholeOf = (visitors: ReadonlySet<number>) =>
      this.many * visitors.size < this.histories.size
        ? changedSessions(
            [...visitors].flatMap((visitor) => this.whole.get(visitor) ?? []),
            lookup,
          )
        : (whole ??= changedSessions([...this.whole.values()].flat(), lookup));
    const left = { histories: this.histories, whole: wholeOf };
    const changed = [changedSessions(this.near, lookup, left), factsAsChangedSessions(this.facts)].filter(
      ({ size }) => size > 0,
    );
    for (const count of counts) {
      const layout = layoutOf(count);
      const parts = changed.flatMap((sessions) => rowsOfDeltas(layout, deltasOf(count, sessions)));
      const merged = mergeRollupParts(layout, parts);
      if (merged.size > 0) yield [count, merged];
    }
  }

  private change(numbers: Map<string, number>, session: Session, sign: 1 | -1) {
    const number = session.kind === SESSION_KIND.none ? -1 : (numbers.get(session.id) ?? this.sessions++);
    numbers.set(session.id, number);
    return { session, sign, number };
  }

  /** Returns the sessions that stay in the days of the change, and the nearest on either side. */
  private nearestOf(
    visitor: number,
    { calendar }: Visitor,
    changed: readonly ChangedSession[],
    kept: readonly Session[],
  ): readonly Session[] {
    const { nearest } = this;
    const window = windowOf(
      changed.map(({ session }) => session),
      calendar,
    );
    const { near, earlier, later } = splitByWindow(kept, calendar, window);
    const earlierUntil = earlier[nearest]?.days.until ?? -Infinity;
    const laterSince = later[nearest]?.days.since ?? Infinity;
    if (earlier.length > nearest || later.length > nearest)
      this.histories.set(visitor, { ...window, earlierUntil, laterSince });
    return [...near, ...earlier.slice(0, nearest), ...later.slice(0, nearest)].map(({ session }) => session);
  }
}

/** A row of the read model `website_rollups`, its bytes in hex. */
type RollupValues = Readonly<Record<keyof typeof websiteRollups.columns, number | string | null>>;

/** A row of `website_rollups` that is put together count by count. */
export class RollupRow {
  readonly packs = new Map<Rollup, Uint8Array>();
  /** The size of all parts together. */
  size = 0;
  private since = Infinity;
  private until = -Infinity;

  constructor(readonly website: number) {}

  /** Adds some rows of a part, which are in the order of their days. */
  add(count: Rollup, part: RollupPart, from: number, to: number): void {
    if (from === to) return;
    const bytes = encodeRollupPart(layoutOf(count), part, from, to);
    const [days] = part.columns;
    this.since = Math.min(this.since, days?.[from] ?? Infinity);
    this.until = Math.max(this.until, days?.[to - 1] ?? -Infinity);
    this.packs.set(count, bytes);
    this.size += bytes.length;
  }

  values(): RollupValues {
    const { website, since, until, size } = this;
    const packed = new Map(Array.from(this.packs, ([{ name }, bytes]) => [name, inHex(bytes)]));
    const columns = Object.fromEntries(ROLLUPS.map(({ name }) => [name, packed.get(name) ?? null]));
    return { website, number: randomNumber(), since, until, size, ...columns };
  }
}

/** Rows of `website_rollups`, one for each website. */
export class RollupRowsByWebsite {
  private readonly byWebsite = new Map<number, RollupRow>();

  /** Adds what a count has of any websites, those of each one after another. */
  add(count: Rollup, part: RollupRows): void {
    const { website: websites, size } = part;
    for (let from = 0; from < size;) {
      const website = websites[from] as number;
      let to = from + 1;
      while (to < size && websites[to] === website) to++;
      const row = this.byWebsite.get(website) ?? new RollupRow(website);
      this.byWebsite.set(website, row);
      row.add(count, part, from, to);
      from = to;
    }
  }

  get rows(): Iterable<RollupRow> {
    return this.byWebsite.values();
  }

  values(): readonly RollupValues[] {
    return Array.from(this.rows, (row) => row.values());
  }
}

const inHex = ({ buffer, byteOffset, length }: Uint8Array): string =>
  Buffer.from(buffer, byteOffset, length).toString('hex');

/** Returns a random number of 53 bits. */
const randomNumber = (): number => randomInt(2 ** 21) * 2 ** 32 + randomInt(2 ** 32);
