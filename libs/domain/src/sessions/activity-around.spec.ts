import { HIT, SESSION_KIND } from '@ledgerline/contracts/read-models/sessions';
import fc from 'fast-check';
import { activityAround, byDay, type ReadActivity } from './activity';
import { calendarOf } from './calendar';
import { ALWAYS, LocalSession, splitByWindow, windowOf, type VisitorSessions } from './local-session';
import { sessionOf, type Session } from './session';

describe('the activity around a window', () => {
  it('is enough for everything a change inside it changes, and the same without the rest', () => {
    const property = fc.property(past, changes, (kept, fresh) => {
      const window = windowOf(fresh, UTC);
      const around = visitorOf(kept, fresh, window);
      const all = visitorOf(kept, fresh, ALWAYS);
      expect(changedRows(around, fresh)).toEqual(changedRows(all, fresh));
    });
    fc.assert(property, { seed: 48, numRuns: 500 });
  });

  it('ends on either side once every value was found', () => {
    const days = (of: readonly number[]) => of.map((day) => viewed([{ day, path: 1 }]));
    const visitor = visitorOf(days([10, 20, 30, 40, 60, 70, 80]), days([50]), { since: 50, until: 50 });
    const found = activityAround(visitor, new Set([1]), pages).map(({ day }) => day);
    expect(found).toEqual([50, 40, 60]);
    expect(activityAround(visitor, new Set(), pages)).toEqual([]);
  });

  it('is found for more values than a function takes arguments', () => {
    const paths = Array.from({ length: 200_000 }, (_, path) => path);
    const earlier = [20, 10].map((day) => viewed(paths.map((path) => ({ day, path }))));
    const visitor = visitorOf(earlier, [viewed([{ day: 50, path: 1 }])], { since: 50, until: 50 });
    expect(activityAround(visitor, new Set(paths), pages)).toHaveLength(200_001);
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
    return { at: day * DAY_MS + DAY_MS / 2 + n, id: String(n), kind: HIT.view, path, text: 0, extra: 0 };
  });
  hits.sort((a, b) => a.at - b.at);
  return sessionOf('a', SESSION_KIND.client, hits, undefined);
}

/** Sessions that stay as they are, and some that come. */
function visitorOf(
  kept: readonly Session[],
  fresh: readonly Session[],
  window: VisitorSessions['window'],
): VisitorSessions {
  const around = splitByWindow(kept, UTC, window);
  const near = [...around.near, ...fresh.map((session) => new LocalSession(session, UTC))];
  return { website: 1, visitor: 'v', calendar: UTC, window, changed: fresh, ...around, near };
}

const pages: ReadActivity = ({ session }, emit) => {
  for (const { path, at } of session.hits) emit(path, UTC.day(at), 1, 0);
};

/** The rows that come and those that go. */
function changedRows(visitor: VisitorSessions, fresh: readonly Session[]): readonly string[][] {
  const values = new Set(fresh.flatMap(({ hits }) => hits.map(({ path }) => path)));
  const before = { ...visitor, near: visitor.near.filter(({ session }) => !fresh.includes(session)) };
  const rowsOf = (of: VisitorSessions) =>
    byDay(activityAround(of, values, pages), visitor.window).map((row) => JSON.stringify(row));
  const [old, now] = [rowsOf(before), rowsOf(visitor)];
  return [now.filter((row) => !old.includes(row)), old.filter((row) => !now.includes(row))].map((some) => some.sort());
}
