import { HIT, SESSION_KIND } from '@ledgerline/contracts/read-models/sessions';
import fc from 'fast-check';
import { presencesAround, type Telling } from './around';
import { calendarOf } from './calendar';
import { byDay } from './presence';
import { sessionOf, type Session } from './session';
import { ALWAYS, Stay, staysOf, windowOf, type Unit } from './stay';

describe('what the days of a window follow from', () => {
  it('is enough for everything a change inside it changes, and told without the rest', () => {
    const property = fc.property(past, changes, (kept, fresh) => {
      const window = windowOf(fresh, UTC);
      const around = unitOf(kept, fresh, window);
      const all = unitOf(kept, fresh, ALWAYS);
      expect(changedRows(around, fresh)).toEqual(changedRows(all, fresh));
    });
    fc.assert(property, { seed: 48, numRuns: 500 });
  });

  it('ends on either side once every value was met', () => {
    const days = (of: readonly number[]) => of.map((day) => viewed([{ day, path: 1 }]));
    const unit = unitOf(days([10, 20, 30, 40, 60, 70, 80]), days([50]), { since: 50, until: 50 });
    const met = presencesAround(unit, new Set([1]), pages).map(({ day }) => day);
    expect(met).toEqual([50, 40, 60]);
    expect(presencesAround(unit, new Set(), pages)).toEqual([]);
  });
});

const UTC = calendarOf('UTC');
const DAY_MS = 86_400_000;

interface View {
  readonly day: number;
  readonly path: number;
}

const sessionsBetween = (min: number, max: number) =>
  fc.array(
    fc
      .array(fc.record({ day: fc.integer({ min, max }), path: fc.integer({ min: 1, max: 3 }) }), {
        minLength: 1,
        maxLength: 4,
      })
      .map(viewed),
    { minLength: 1, maxLength: 6 },
  );
const past = sessionsBetween(1, 20);
const changes = sessionsBetween(9, 11);

function viewed(views: readonly View[]): Session {
  const hits = views.map(({ day, path }, n) => {
    return { at: day * DAY_MS + DAY_MS / 2 + n, id: String(n), kind: HIT.view, path, word: 0, more: 0 };
  });
  hits.sort((a, b) => a.at - b.at);
  return sessionOf('a', SESSION_KIND.client, hits, undefined);
}

/** Sessions that stay as they are, and some that come. */
function unitOf(kept: readonly Session[], fresh: readonly Session[], window: Unit['window']): Unit {
  const stays = staysOf(kept, UTC, window);
  const near = [...stays.near, ...fresh.map((session) => new Stay(session, UTC))];
  return { website: 1, visitor: 'v', calendar: UTC, window, changed: fresh, ...stays, near };
}

const pages: Telling = ({ session }, tell) => {
  for (const { path, at } of session.hits) tell(path, UTC.day(at), 1, 0);
};

/** The rows that come and those that go. */
function changedRows(unit: Unit, fresh: readonly Session[]): readonly string[][] {
  const values = new Set(fresh.flatMap(({ hits }) => hits.map(({ path }) => path)));
  const before = { ...unit, near: unit.near.filter(({ session }) => !fresh.includes(session)) };
  const rowsOf = (of: Unit) => byDay(presencesAround(of, values, pages), unit.window).map((row) => JSON.stringify(row));
  const [old, now] = [rowsOf(before), rowsOf(unit)];
  return [now.filter((row) => !old.includes(row)), old.filter((row) => !now.includes(row))].map((some) => some.sort());
}
