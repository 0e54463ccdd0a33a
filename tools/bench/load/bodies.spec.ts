import { batchBodies } from './bodies';

interface View {
  readonly eventId: string;
  readonly anonymousId: string;
  readonly sessionId: string;
}

describe('the bodies for /batch', () => {
  it('are page views, each with an id of its own', () => {
    const views = viewsOf(false);
    expect(views[0]).toMatchObject({ name: 'screen_view', timestamp: expect.any(Number) as number });
    expect(new Set(views.map(({ eventId }) => eventId)).size).toBe(MANY);
  });

  it('begin anew with the same visitors, or with others in other visits', () => {
    const same = visitorsOf(viewsOf(false));
    const others = visitorsOf(viewsOf(true));
    expect(others.visitors).toBeGreaterThan(1.9 * same.visitors);
    expect(others.visits).toBeGreaterThan(1.9 * same.visits);
  });
});

/** More than twice as many as are prepared. */
const MANY = 10_000;

const viewsOf = (newVisitors: boolean) => JSON.parse(batchBodies('x', { events: MANY, newVisitors })()) as View[];

const visitorsOf = (views: readonly View[]) => ({
  visitors: new Set(views.map(({ anonymousId }) => anonymousId)).size,
  visits: new Set(views.map(({ sessionId }) => sessionId)).size,
});
