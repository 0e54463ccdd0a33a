import fc from 'fast-check';
import { finding } from '../query/answer-type';
import {
  openProjectedDatabase,
  projectInto,
  type DirectProjector,
  type ProjectedDatabase,
} from '../query/projected-database';
import { runs } from '../random-runs';
import { naiveRequest, request, SEED, typesAbout, withOptions } from './asked-requests';
import { checkAnswer } from './check-answer';
import { expectedAboutWebsite } from './expected-rows';
import { idFilters } from './id-filters';
import { traffic } from './random-traffic';

const step = fc.record({
  /** So many of the events that are left, in batches of this size. */
  events: fc.integer({ min: 1, max: 25 }),
  batch: fc.integer({ min: 1, max: 8 }),
  then: fc.uniqueArray(fc.constantFrom('pack' as const, 'seal' as const, 'restart' as const), { maxLength: 3 }),
  asked: request,
  /** In the days of the website's own zone, as kept counts are. */
  isOwnZone: fc.integer({ min: 0, max: 3 }).map((one) => one > 0),
});

let database: ProjectedDatabase;
let projector: DirectProjector;
beforeAll(async () => {
  database = await openProjectedDatabase();
  projector = await projectInto(database.url);
});
afterAll(async () => {
  await projector.close();
  await database.close();
});

it('every answer is that of the events so far, whatever is packed, sealed, late or begun anew in between', async () => {
  let subjects = 0;
  const property = fc.asyncProperty(
    traffic,
    fc.integer(),
    fc.array(step, { minLength: 2, maxLength: 5 }),
    async (some, shuffle, steps) => {
      const id = `site_mixed_${++subjects}`;
      const left = inOrderOf(shuffle, some.events({ websiteId: id, organizationId: 'org_1', zone: some.zone }));
      const sent: typeof left = [];
      for (const { events, batch, then, asked, isOwnZone } of steps) {
        const next = left.splice(0, events);
        await projector.send(id, next, batch);
        sent.push(...next);
        for (const what of then) {
          if (what === 'restart') {
            await projector.close();
            projector = await projectInto(database.url);
          } else await projector[what]();
        }
        const random = { ...asked, ownZone: asked.ownZone || isOwnZone };
        for (const type of typesAbout('website')) {
          const filters = idFilters(type, sent);
          const naive = withOptions(type, naiveRequest(random, some.start, some.zone, filters), random);
          const { page, limit } = random;
          const wish = {
            about: 'website' as const,
            id,
            ownZone: some.zone,
            ...naive,
            page,
            ...(limit ? { limit } : {}),
          };
          const expected = expectedAboutWebsite(type.name, naive, sent);
          await checkAnswer(type, await finding(database.pool, wish), random, { naive, expected });
        }
      }
    },
  );
  await fc.assert(property, { seed: SEED, numRuns: runs(6), endOnFailure: true });
}, 600_000);

/** In any order, the same for the same number. */
function inOrderOf<T extends { id: string }>(shuffle: number, events: readonly T[]): T[] {
  const key = (at: number) => Math.sin(shuffle + at * 7919);
  return events
    .map((event, at) => [key(at), event] as const)
    .sort(([a], [b]) => a - b)
    .map(([, event]) => event);
}
