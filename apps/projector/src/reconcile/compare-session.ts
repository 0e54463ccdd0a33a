import { SESSION_KIND } from '@ledgerline/contracts/read-models/sessions';
import { sessionOf, type Session } from '@ledgerline/contracts/sessions/session';
import { gapSessionId, singleEventId } from '@ledgerline/domain/sessions/add-hits';
import type { RowDifference } from '@ledgerline/platform/database/compare-rows';
import { EVENT_FACTS } from '../projections/websites/read-hit';
import { sessionRow } from '../projections/websites/session-rows';
import { DayDigests, isSameDigest, NONE } from './digest';
import type { TableDifference } from './findings';

/** In which columns a stored session is not what follows from its kind and hits; undefined = in none. */
export function compareSession(actor: string, session: Session): Pick<RowDifference, 'expected' | 'found'> | undefined {
  const { kind, hits, attributes } = session;
  const of = { website: 0, actor, visitor: null, number: null }; // these are compared for all of a website at once
  const found = sessionRow(of, session);
  const expected = sessionRow(of, sessionOf(idOf(actor, session), kind, hits, attributes));
  const differing = Object.keys(found).filter((name) => !name.startsWith('hit_') && expected[name] !== found[name]);
  if (differing.length === 0) return undefined;
  const pick = (row: typeof found) => Object.fromEntries(differing.map((name) => [name, row[name]]));
  return { expected: { actor, ...pick(expected) }, found: { actor, ...pick(found) } };
}

/** A client has named its session; other ones are named after their first hit. */
function idOf(actor: string, { id, kind, hits: [first] }: Session): string {
  if (kind === SESSION_KIND.client || !first) return id;
  return kind === SESSION_KIND.none ? singleEventId(first) : gapSessionId(actor, first);
}

/** In which sessions facts lie, by the table of facts, as the sessions say and as the facts do. */
export class FactSessionDigests {
  readonly expected = new DayDigests();
  readonly found = new DayDigests();

  /** The sessions of days on which they have as many facts as their tables; the others are compared with the log. */
  differences(): readonly TableDifference[] {
    const tables = EVENT_FACTS.map(({ builds: { name } }) => name);
    return [...this.expected.days].flatMap(([day, ofDay]) =>
      tables.flatMap((table) => {
        const should = ofDay.get(table) ?? NONE;
        const is = this.found.days.get(day)?.get(table) ?? NONE;
        if (should.events !== is.events || isSameDigest(should, is)) return [];
        const expected = { sessions: should.checksum };
        return [{ table, day, missing: 0, extra: 0, changed: 1, expected, found: { sessions: is.checksum } }];
      }),
    );
  }
}
