import type { ObservedEvent } from '@ledgerline/contracts/events/observed-events';
import type { EventStoreAddress } from '@ledgerline/engines/event-store.factory';
import { Random } from '../../tools/traffic/random';
import { untilAnswer } from '../journeys/product';
import { waitUntil } from '../wait-until';
import { Editors } from './editors';
import { Grace } from './grace';
import type { AppName, Installation } from './installation';
import { LagWatch } from './lag-watch';
import { chainsOf, compare, decidedBy, differencesFromRebuild, loggedOf, type Comparison } from './log-audit';
import { differencesFrom, expectedAnswersAbout, type Subject } from './oracle-comparison';
import { untilSpoolIsEmpty } from './spooled-clicks';
import { AS_BROWSER, createLink, createWebsite, newSlug, newTenant, type Tenant } from './tenant';
import { untilCopied } from './until-copied';
import { Visitors, type Visited } from './visitors';

/** `RELIABILITY_VISITORS=3000 npx jest test/reliability/two-of-every` for a long run; RELIABILITY_SEED for another one. */
export const VISITORS = Number(process.env['RELIABILITY_VISITORS'] ?? 35);
const SEED = Number(process.env['RELIABILITY_SEED'] ?? 20_261_121);
interface Kill {
  readonly url: string;
  readonly at: number;
}

/** Two of every process under traffic and commands; one of each is killed for good. Ends with a comparison of every table. */
export function surviveKills(
  opened: () => Installation,
  storeOf: (place: Installation) => EventStoreAddress,
  inTheMiddle: () => Promise<void> = () => Promise.resolve(),
): void {
  let place: Installation;
  let store: EventStoreAddress;
  let tenant: Tenant;
  let websites: readonly (Visited & Subject)[];
  let linkIds: readonly string[];
  let visitors: Visitors;
  let editors: Editors;
  let log: readonly ObservedEvent[];
  let grace: Grace;
  const kills: Kill[] = [];

  beforeAll(async () => {
    place = opened();
    store = storeOf(place);
    tenant = await newTenant(place.url('api'));
    await makeWebsites();
    await simulate();
    for (const name of ['projector', 'tracker', 'api'] as const) await place.startAnother(name);
    log = await logUntilSpoolsAreEmpty();
  });

  it(`survive that one of each is killed in the middle of everything (seed ${SEED})`, () => {
    expect(kills.length).toBe(3);
    expect(place.failures()).toEqual([]);
    expect([...visitors.unexpected, ...editors.unexpected]).toEqual([]);
  });

  it('keep every acknowledged event in the log, once', () => {
    const hits = log.filter(({ type }) => type !== 'LinkClicked').map(({ id }) => id);
    expect(visitors.acknowledged.size).toBeGreaterThan(VISITORS);
    expect(compare(visitors.acknowledged.keys(), hits)).toEqual({ lost: [], doubled: [], invented: [] });
    const { lost, doubled } = clicksIn(log);
    expect({ lost, doubled }).toEqual({ lost: [], doubled: [] });
  });

  it('keep every acknowledged command in the event store, once', async () => {
    const events = await decidedBy(store, tenant);
    const idsOf = (type: string, field: string) =>
      events.flatMap((event) => (event.type === type ? [event.data[field] as string] : []));
    const exactly = { lost: [], doubled: [], invented: [] };
    expect(editors.links.length).toBeGreaterThan(10);
    expect(compare([...linkIds, ...editors.links], idsOf('LinkCreated', 'linkId'))).toEqual(exactly);
    expect(compare([...linkIds, ...editors.links], idsOf('SlugReserved', 'linkId'))).toEqual(exactly);
    const websiteIds = [...websites.map(({ id }) => id), ...editors.websites];
    expect(compare(websiteIds, idsOf('WebsiteRegistered', 'websiteId'))).toEqual(exactly);
    const ids = events.map(({ id }) => id);
    expect(compare(ids, ids)).toEqual(exactly);
  });

  it('answer like the oracle, from rollups and from facts, on the api that survived and on one just started', async () => {
    const links = [...linkIds, ...editors.links.slice(0, 2)].map((id) => ({ about: 'link' as const, id, zone: 'UTC' }));
    const urls = place.all('api').map(({ url }) => url);
    for (const subject of [...websites, ...links]) {
      await untilAnswer(
        async () => {
          const checks = expectedAnswersAbout(subject, log);
          const asked = urls.flatMap((url) => checks.map((each) => differencesFrom(url, tenant.key, each)));
          return (await Promise.all(asked)).flat();
        },
        (found) => found.length === 0,
      );
    }
  });

  it('leave tables that equal a rebuild, and chains that hold', async () => {
    expect(await differencesFromRebuild(place.databaseUrl, store)).toEqual([]);
    await untilAnswer(
      () => chainsOf(place.databaseUrl, store, tenant),
      ({ intake, decided }) => intake && decided,
    );
  });

  async function makeWebsites(): Promise<void> {
    const api = place.url('api');
    const more = [
      { timezone: 'Asia/Kathmandu', visitorIdentity: 'stable' as const },
      { timezone: 'Europe/Berlin', visitorIdentity: 'monthly' as const },
    ];
    const others = await Promise.all(
      more.map(async (settings) => {
        const id = await createWebsite(api, tenant, settings);
        const slug = newSlug();
        return { id, slug, linkId: await createLink(api, tenant, slug), zone: settings.timezone };
      }),
    );
    const first = { id: tenant.websiteId, slug: tenant.slug, linkId: tenant.linkId, zone: 'UTC' };
    const { key } = tenant;
    const about = 'website' as const;
    websites = [first, ...others].map(({ id, slug, zone }) => ({ about, id, websiteId: id, slug, zone, key }));
    linkIds = [first, ...others].map(({ linkId }) => linkId);
  }

  async function simulate(): Promise<void> {
    const [trackers, apis] = (['tracker', 'api'] as const).map((name) => place.all(name).map(({ url }) => url));
    const watch = new LagWatch(apis![1]!);
    grace = new Grace(place.folder);
    visitors = new Visitors(trackers!, websites, { visitors: VISITORS, seed: SEED });
    editors = new Editors(apis!, tenant, SEED, (path) => visitors.follow(path, AS_BROWSER));
    const [, lags] = await Promise.all([visitors.run(), killSome(watch)]);
    await editors.stop();
    await watch.stop();
    await grace.stop();
    report(lags, watch.take());
  }

  /** One of each, in some order, at some moments between a fifth and three fifths of the traffic. */
  async function killSome(watch: LagWatch): Promise<string[]> {
    const random = new Random(SEED, 3);
    const left: AppName[] = ['projector', 'tracker', 'api'];
    const lags: string[] = [];
    for (let progress = 0.2; left.length > 0; progress += 0.15) {
      const moment = progress + random.between(0, 0.1);
      await waitUntil(
        () => visitors.progress,
        (progress) => progress >= moment,
        600_000,
      );
      const [name] = left.splice(random.below(left.length), 1);
      const victim = place.all(name!)[0]!;
      lags.push(`${watch.take()} ms before the ${name!} was killed`);
      kills.push({ url: victim.url, at: Date.now() });
      await place.killForGood(victim);
      if (left.length === 2) await inTheMiddle();
    }
    return lags;
  }

  function report(lags: readonly string[], last: number): void {
    const { acknowledged, followed, repeats } = visitors;
    console.log(`${store.eventStoreUrl === undefined ? 'postgres' : 'eventstoredb'}, seed ${SEED}: ${acknowledged.size} events and ${followed.length} clicks acknowledged, \
${repeats} requests repeated; ${editors.links.length} links and ${editors.websites.length} websites made, \
${editors.repeats} commands repeated. Longest wait of an event: ${lags.join(', ')}, ${last} ms after.`);
  }

  function mayBeLost(id: string): boolean {
    const { asked, at, tracker } = visitors.followed.find((each) => each.id === id)!;
    return kills.some((kill) => kill.url === tracker && asked <= kill.at && grace.covers(at, kill.at));
  }

  /** Without those that may be lost. */
  function clicksIn(all: readonly ObservedEvent[]): Pick<Comparison, 'lost' | 'doubled'> {
    const { lost, doubled } = compare(
      visitors.followed.map(({ id }) => id),
      all.flatMap((event) => (event.type === 'LinkClicked' ? [event.data.utm?.content ?? 'a click of nobody'] : [])),
    );
    return { lost: lost.filter((id) => !mayBeLost(id)), doubled };
  }

  /** Spooled clicks arrive a moment later, and so does what Kafka has: waits until none is missing and none is left. */
  async function logUntilSpoolsAreEmpty(): Promise<readonly ObservedEvent[]> {
    await untilAnswer(
      async () => clicksIn(await loggedOf(tenant, place.databaseUrl)).lost,
      (missing) => missing.length === 0,
    );
    await untilSpoolIsEmpty(place.folder);
    await untilCopied(place.databaseUrl);
    return loggedOf(tenant, place.databaseUrl);
  }
}
