import { SESSION_ATTRIBUTES } from '@ledgerline/contracts/attributes';
import { HIT, SESSION_KIND } from '@ledgerline/contracts/read-models/sessions';
import { timeOnPage, type SessionAttributes } from '@ledgerline/contracts/sessions/session';
import { addHits, GAP_MS, gapSessionId, singleEventId, type Arrival } from './add-hits';

describe('sessions', () => {
  it('of a client are one per session id', () => {
    const sessions = addHits(
      VISITOR,
      [],
      [view(0, { session: 'a' }), view(1, { session: 'b' }), view(9, { session: 'a' })],
    );
    expect(sessions.map(({ id, kind, pageviews }) => [id, kind, pageviews])).toEqual([
      ['a', SESSION_KIND.client, 2],
      ['b', SESSION_KIND.client, 1],
    ]);
  });

  it('without an id are cut where more than 30 minutes lie between neighbours', () => {
    expect(starts(addHits(VISITOR, [], [view(0), view(GAP_MS), view(2 * GAP_MS + 1)]))).toEqual([0, 2 * GAP_MS + 1]);
  });

  it('without an id are named after their visitor and first event', () => {
    const [session] = addHits(VISITOR, [], [view(5), view(3)]);
    expect(session?.id).toBe(gapSessionId(VISITOR, { id: id(3), at: 3 }));
  });

  it('are joined by a late event between them, and keep their attributes', () => {
    const apart = addHits(VISITOR, [], [view(0, { country: 1 }), view(2 * GAP_MS, { country: 2 })]);
    const [joined, ...others] = addHits(VISITOR, apart, [view(GAP_MS, { country: 3 })]);
    expect(others).toEqual([]);
    expect(joined).toMatchObject({ id: apart[0]?.id, pageviews: 3, attributes: { country: 1 } });
  });

  it('take their attributes from a page view that comes late and is the first', () => {
    const early = addHits(VISITOR, [], [view(10, { session: 'a', country: 1 })]);
    const [session] = addHits(VISITOR, early, [view(5, { session: 'a', country: 2 })]);
    expect(session).toMatchObject({ enteredAt: 5, attributes: { country: 2 } });
  });

  it('stay the same object when nothing arrived for them', () => {
    const [a, b] = addHits(VISITOR, [], [view(0, { session: 'a' }), view(1), view(2, { session: 'b' })]);
    const after = addHits(VISITOR, [a!, b!], [view(3, { session: 'b' })]);
    expect(after).toContain(a);
    expect(after).not.toContain(b);
  });

  it('of nobody without an id are none', () => {
    const [none] = addHits(null, [], [view(0)]);
    expect(none).toMatchObject({
      kind: SESSION_KIND.none,
      id: singleEventId({ id: id(0), at: 0 }),
      enteredAt: null,
      attributes: undefined,
    });
  });

  it.each([null, 'f'.repeat(32)])(
    'of visitor %s hold an event once that arrives again, in whatever session',
    (visitor) => {
      const sent = [hit(0, HIT.error), hit(1, HIT.custom), view(2)];
      const before = addHits(visitor, [], [...sent, ...sent]);
      expect(before.flatMap(({ hits }) => hits)).toEqual(sent.map((each) => each.hit));
      const again = sent.map((each) => ({ ...each, hit: { ...each.hit, path: 9 }, session: visitor && 'a' }));
      expect(addHits(visitor, before, again)).toEqual(before);
      const [joined] = addHits(visitor, before.slice(0, 1), [...again.slice(0, 1), hit(3, HIT.leave)]);
      expect(joined?.hits[0]).toBe(sent[0]?.hit);
    },
  );

  it('hold an event once that was composed differently when it was sent again', () => {
    const at = (time: number, { hit: sent, ...others }: Arrival): Arrival => ({
      ...others,
      hit: { ...sent, at: time },
    });
    const a = view(5);
    const b = hit(6, HIT.custom);
    const c = hit(7, HIT.custom);
    const first = addHits(VISITOR, [], [a, b]);
    const again = addHits(VISITOR, first, [at(5, b), at(5, b), at(6, c)]);
    expect(again.flatMap(({ hits }) => hits)).toEqual([a.hit, b.hit, at(6, c).hit]);
    expect(addHits(VISITOR, [], [a, b, at(5, b), at(5, b), at(6, c)])).toEqual(again);
    expect(addHits(VISITOR, again, [at(1_006, b)])).toEqual(again);
    expect(addHits(VISITOR, again, [at(1_007, b)]).flatMap(({ hits }) => hits)).toHaveLength(4);
  });

  it.each([null, 'f'.repeat(32)])(
    'of visitor %s are several where an event id comes again with another time',
    (visitor) => {
      const days = [0, 4].map((day) => ({ ...view(0), hit: { ...view(0).hit, at: day * 86_400_000 } }));
      const sessions = addHits(visitor, [], days);
      expect(sessions.map(({ hits }) => hits)).toEqual(days.map((each) => [each.hit]));
      expect(new Set(sessions.map(({ id }) => id)).size).toBe(2);
      expect(
        addHits(visitor, addHits(visitor, [], days.slice(1)), days.slice(0, 1))
          .map(({ id }) => id)
          .sort(),
      ).toEqual(sessions.map(({ id }) => id).sort());
    },
  );

  it('last from the first event to the last, or to the end of the last page view', () => {
    const [session] = addHits(VISITOR, [], [hit(0, HIT.vital), view(10), hit(12, HIT.leave, { timeMs: 30_000 })]);
    expect(session).toMatchObject({ firstAt: 0, lastAt: 12, enteredAt: 10, durationMs: 30_010 });
  });

  it.each([
    ['one short page view', () => [view(0), hit(1, HIT.leave, { timeMs: 9_999 })], true],
    ['one long page view', () => [view(0), hit(1, HIT.engagement, { timeMs: 10_000 })], false],
    ['two page views', () => [view(0), view(1)], false],
    ['a custom event', () => [view(0), hit(1, HIT.custom)], false],
    ['an outgoing link', () => [view(0), hit(1, HIT.outgoing)], false],
    ['an error', () => [view(0), hit(1, HIT.error)], true],
    ['no page view', () => [hit(1, HIT.error)], false],
  ])('with %s bounce or not', (_, arrivals, bounced) => {
    expect(addHits(VISITOR, [], arrivals())[0]?.bounced).toBe(bounced);
  });

  it('know the first and the last page', () => {
    const pages = [view(0, { path: 7 }), view(1, { path: 8 }), hit(2, HIT.custom, { path: 9 })];
    expect(addHits(VISITOR, [], pages)[0]).toMatchObject({ entryPath: 7, exitPath: 8 });
  });
});

describe('the time on a page view', () => {
  it('is the longest one told of its path before the next view of it', () => {
    const [session] = addHits(
      VISITOR,
      [],
      [
        hit(0, HIT.leave, { path: 7, timeMs: 90 }),
        view(1, { path: 7 }),
        hit(2, HIT.leave, { path: 7, timeMs: 40 }),
        hit(2, HIT.engagement, { path: 7, timeMs: 50 }),
        hit(3, HIT.leave, { path: 8, timeMs: 60 }),
        view(4, { path: 7 }),
        hit(5, HIT.leave, { path: 7, timeMs: -1 }),
      ],
    );
    const views = session!.hits.flatMap(({ kind }, place) => (kind === HIT.view ? [place] : []));
    expect(views.map((place) => timeOnPage(session!.hits, place))).toEqual([50, 0]);
  });
});

const VISITOR = 'f'.repeat(32);
const UNKNOWN = Object.fromEntries(SESSION_ATTRIBUTES.map((name) => [name, 0])) as SessionAttributes;

let ids = 0;
const id = (at: number) => at.toString(16).padStart(32, '0');

function hit(at: number, kind: number, { session = null as string | null, path = 7, timeMs = 0 } = {}): Arrival {
  const unique = kind === HIT.view ? id(at) : `e${id(at).slice(1, 24)}${(++ids).toString(16).padStart(8, '0')}`;
  return {
    hit: { at, id: unique, kind, path, hostname: 0, values: [timeMs, -1, -1], from: 0 },
    session,
    attributes: undefined,
  };
}

const view = (at: number, { session = null as string | null, path = 7, country = 0 } = {}): Arrival => ({
  ...hit(at, HIT.view, { session, path }),
  attributes: { ...UNKNOWN, country },
});

const starts = (sessions: ReturnType<typeof addHits>) => sessions.map(({ firstAt }) => firstAt);
