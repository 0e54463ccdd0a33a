import type { ReadModel } from '@ledgerline/contracts/read-models/read-model';
import type { Calendar } from '@ledgerline/domain/sessions/calendar';
import { splitByWindow, type LocalSession, type Window } from '@ledgerline/domain/sessions/local-session';
import type { Session } from '@ledgerline/domain/sessions/session';
import { FoldedRows, type Row } from '@ledgerline/platform/database/read-model-rows';
import { EVENT_FACTS, FACT_SUMS } from '../projections/websites/event-facts.projections';
import type { FactColumns } from '../projections/websites/fact-sums';
import { expandRows, targetsOf, type IsClosed, type Rollup } from '../projections/websites/rollup';
import { ROLLUPS } from '../projections/websites/rollups';

/** Days of a website. */
export interface WebsiteWindow extends Window {
  /** Text id. */
  readonly website: number;
  /** IANA. */
  readonly zone: string;
  readonly calendar: Calendar;
  /** The instant at which the first day begins, and that at which the last one ends. */
  readonly begin: number;
  readonly end: number;
}

/** What the rollups of a website hold for some days, in blocks of a single day: a function of its sessions and facts. */
export class ExpectedRollups {
  /** Rows of days, before they are expanded to those of the tables. */
  readonly rollups = ROLLUPS.map((rollup) => ({ rollup, rows: new FoldedRows(rollup.builds) }));
  private readonly sums = new Map(FACT_SUMS.map((model) => [model, new FoldedRows(model)]));

  constructor(
    private readonly of: WebsiteWindow,
    private readonly domainOf: (href: number) => number,
  ) {}

  /** Adds a visitor, with all sessions; the answer are those that reach into the days. */
  addSessions(visitor: string | null, sessions: readonly Session[]): readonly LocalSession[] {
    const { website, calendar, since, until } = this.of;
    const window = { since, until };
    const { near, earlier } = splitByWindow(sessions, calendar, window);
    if (near.length === 0) return near;
    const changed = near.map(({ session }) => session);
    const input = { website, visitor, calendar, window, changed, near, earlier, later: [], domainOf: this.domainOf };
    for (const { rollup, rows } of this.rollups) {
      rollup.rowsOf(input, (row) => {
        if (this.has(row)) rows.add(row);
      });
    }
    return near;
  }

  /** Adds the columns of an event in a table of facts. */
  addFact(table: ReadModel, at: number, columns: FactColumns): void {
    const { website, calendar } = this.of;
    const day = calendar.day(at);
    const facts = EVENT_FACTS.find(({ builds }) => builds === table);
    for (const { builds, rowsOf } of facts?.sums ?? []) {
      for (const row of rowsOf(columns, at)) this.sums.get(builds)?.add({ website, span: 1, day, ...row });
    }
  }

  /** The sums of these facts are not known. */
  leaveOut(table: ReadModel): void {
    const facts = EVENT_FACTS.find(({ builds }) => builds === table);
    for (const { builds } of facts?.sums ?? []) this.sums.delete(builds);
  }

  /** The rows of each table. */
  *tables(isClosed: IsClosed): Generator<readonly [ReadModel, readonly Row[]]> {
    for (const { rollup, rows } of this.rollups) {
      for (const target of targetsOf(rollup)) {
        const expanded = expandRows(target, rows.values(), movesDays(rollup) ? isClosed : never);
        yield [target.builds, expanded.filter(({ span = 1 }) => span === 1)];
      }
    }
    for (const [model, rows] of this.sums) yield [model, rows.values()];
  }

  private has({ day, hour }: Row): boolean {
    const { since, until, begin, end } = this.of;
    if (hour !== undefined) return (hour as number) >= begin && (hour as number) < end;
    return (day as number) >= since && (day as number) <= until;
  }
}

/** Whether days that are over are in another table; otherwise they only are in longer blocks, too. */
const movesDays = ({ closed }: Rollup): boolean => closed !== undefined;
const never: IsClosed = () => false;
