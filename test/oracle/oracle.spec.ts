import fc from 'fast-check';
import type { LinkClicked } from '@ledgerline/contracts/events/observed-events';
import { finding, type TypeRequest } from '../query/answer-type';
import { openProjectedDatabase, type ProjectedDatabase } from '../query/projected-database';
import { arrival, asTheyArrive } from './arrival';
import { naiveRequest, request, RUNS, SEED, typesAbout, withOptions, type RandomRequest } from './asked-requests';
import { checkAnswer } from './check-answer';
import { expectedAboutLink, expectedAboutWebsite } from './expected-rows';
import { idFilters } from './id-filters';
import type { NaiveRequest } from './naive-request';
import { clicks, clicksOnLinks } from './random-clicks';
import { linkFilters, websiteFilters } from './random-requests';
import { traffic } from './random-traffic';

const REQUESTS_PER_TRAFFIC = 3;

const requests = <T>(filters: fc.Arbitrary<T>) =>
  fc.array(fc.tuple(request, filters), { minLength: REQUESTS_PER_TRAFFIC, maxLength: REQUESTS_PER_TRAFFIC });

jest.setTimeout(3_600_000);

let database: ProjectedDatabase;
let subjects = 0;
beforeAll(async () => (database = await openProjectedDatabase()));
afterAll(() => database.close());

describe(`every answer equals the oracle's (seed ${SEED}, ${RUNS} runs)`, () => {
  it('about websites', () =>
    fc.assert(
      fc.asyncProperty(traffic, arrival, requests(websiteFilters), async (some, arriving, asked) => {
        const id = `site_${++subjects}`;
        const events = some.events({ websiteId: id, organizationId: 'org_1', zone: some.zone });
        await database.send(id, asTheyArrive(events, arriving), arriving.batch, arriving.dedupe);
        for (const [random, filters] of asked) {
          const plain = naiveRequest(random, some.start, some.zone, filters);
          const about = { about: 'website' as const, id, ownZone: some.zone };
          const findPlain = await findingAs(about, plain, random);
          for (const type of typesAbout('website')) {
            const needed = idFilters(type, events);
            const given = needed.length === 0 ? plain : { ...plain, filters: [...filters, ...needed] };
            const naive = withOptions(type, given, random);
            const find = naive === plain ? findPlain : await findingAs(about, naive, random);
            const expected = expectedAboutWebsite(type.name, naive, events);
            await checkAnswer(type, find, random, { naive, expected });
          }
        }
      }),
      { seed: SEED, numRuns: RUNS, endOnFailure: process.env['ORACLE_SHRINK'] === undefined },
    ));

  it('about links', () =>
    fc.assert(
      fc.asyncProperty(clicks, arrival, requests(linkFilters), async (some, arriving, asked) => {
        const id = `link_${++subjects}`;
        const events = some.events({ linkId: id, organizationId: 'org_1' });
        await database.send(id, asTheyArrive(events, arriving), arriving.batch, arriving.dedupe);
        for (const [random, filters] of asked) {
          const naive = naiveRequest(random, some.start, some.zone, filters);
          const find = await findingAs({ about: 'link', id, ownZone: 'UTC' }, naive, random);
          for (const type of typesAbout('link')) {
            const expected = expectedAboutLink(type.name, naive, events);
            await checkAnswer(type, find, random, { naive, expected });
          }
        }
      }),
      { seed: SEED, numRuns: RUNS, endOnFailure: process.env['ORACLE_SHRINK'] === undefined },
    ));

  it('about all links of a tag', () =>
    fc.assert(
      fc.asyncProperty(clicksOnLinks, arrival, requests(linkFilters), async (some, arriving, asked) => {
        const id = `tag_${++subjects}`;
        const tagged = some.links.map((eventsOf, nth) => ({ eventsOf, linkId: `link_of_${id}_${nth}` }));
        const events: LinkClicked[] = [];
        for (const { eventsOf, linkId } of tagged) {
          const own = eventsOf({ linkId, organizationId: 'org_1', people: id });
          await database.send(linkId, asTheyArrive(own, arriving), arriving.batch, arriving.dedupe);
          events.push(...own);
        }
        const tag = { ids: tagged.map(({ linkId }) => linkId), isCurrent: true };
        for (const [random, filters] of asked) {
          const naive = naiveRequest(random, some.start, some.zone, filters);
          const find = await findingAs({ about: 'link', id, tag, ownZone: 'UTC' }, naive, random);
          for (const type of typesAbout('link')) {
            const expected = expectedAboutLink(type.name, naive, events);
            await checkAnswer(type, find, random, { naive, expected });
          }
        }
      }),
      { seed: SEED, numRuns: RUNS, endOnFailure: process.env['ORACLE_SHRINK'] === undefined },
    ));
});

const findingAs = (
  subject: Pick<TypeRequest, 'about' | 'id' | 'ownZone' | 'tag'>,
  naive: NaiveRequest,
  { page, limit }: RandomRequest,
) => finding(database.pool, { ...subject, ...naive, page, ...(limit ? { limit } : {}) });
