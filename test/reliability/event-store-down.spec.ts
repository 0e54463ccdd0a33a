import { setTimeout as sleep } from 'node:timers/promises';
import type { EventStoreAddress } from '@ledgerline/engines/event-store.factory';
import { Random } from '../../tools/traffic/random';
import { EventStoreDbDouble } from '../event-store/eventstoredb-double/eventstoredb-double';
import { untilAnswer } from '../journeys/product';
import { proxyTo, type BreakableProxy } from '../network/breakable-proxy';
import { Editors } from './editors';
import { Installation } from './installation';
import { chainsOf, compare, decidedBy, differencesFromRebuild, settled } from './log-audit';
import { Outage } from './outage';
import { Stream } from './stream';
import { AS_BROWSER, newTenant, untilTrackerHasCaughtUp, type Tenant } from './tenant';

/**
 * `RELIABILITY_OUTAGE_MS=60000 npx jest test/reliability/event-store-down`, as in `npm run prove`. With the process id of the
 * server at EVENTSTORE_URL in EVENTSTORE_PID, that server is paused too.
 */
const CHOSEN_MS = Number(process.env['RELIABILITY_OUTAGE_MS'] ?? 0);
const OUTAGE_MS = CHOSEN_MS || 2_000;
const CUTS = Number(process.env['RELIABILITY_CUTS'] ?? 8);
const WAYS = ['cut', 'refuse', 'swallow'] as const;
const SEED = Number(process.env['RELIABILITY_SEED'] ?? 20_261_121);
const SERVER = process.env['EVENTSTORE_URL'];
const SERVER_PID = Number(process.env['EVENTSTORE_PID'] ?? 0);
const ONE_OF_EACH = { api: 1, tracker: 1, projector: 1 };

jest.setTimeout(600_000 + OUTAGE_MS);

if (CHOSEN_MS === 0)
  it.skip('a double of EventStoreDB that goes away: SKIPPED; npm run prove sets RELIABILITY_OUTAGE_MS', () =>
    undefined);
else
  describe('an event store that goes away (a double of EventStoreDB)', () => {
    let double: EventStoreDbDouble;
    beforeAll(async () => (double = await EventStoreDbDouble.start()));
    afterAll(() => double.stop());
    waitItOut(() => double.url, []);
  });

if (SERVER !== undefined)
  describe('an event store that goes away (EventStoreDB)', () =>
    waitItOut(() => SERVER, SERVER_PID > 0 ? [['is paused', 'pause']] : []));
else it.skip('a real EventStoreDB that goes away: SKIPPED, as EVENTSTORE_URL names no server', () => undefined);

/** The fate of the server, and the words for it. */
type Fate = readonly [string, 'refuse' | 'swallow' | 'pause'];

function waitItOut(server: () => string, fates: readonly Fate[]): void {
  let proxy: BreakableProxy;
  let place: Installation;
  let store: EventStoreAddress;
  let tenant: Tenant;
  let pids: readonly (number | undefined)[];
  const links: string[] = [];

  beforeAll(async () => {
    const [address = '', host = '', port = '2113'] = /([\w.-]+):(\d+)/.exec(server()) ?? [];
    proxy = await proxyTo(host, Number(port));
    const url = server().replace(address, `127.0.0.1:${proxy.port}`);
    place = await Installation.open(ONE_OF_EACH, { EVENT_STORE: 'eventstoredb', EVENTSTORE_URL: url });
    store = { databaseUrl: place.databaseUrl, eventStoreUrl: server() };
    tenant = await newTenant(place.url('api'));
    links.push(tenant.linkId);
    await untilTrackerHasCaughtUp(place.url('tracker'));
    await untilAnswer(
      () => fetch(`${place.url('tracker')}/${tenant.slug}`, { redirect: 'manual', headers: AS_BROWSER }),
      ({ status }) => status === 302, // from then on without the event store
    );
    pids = pidsNow();
  });
  afterAll(async () => {
    await place.close();
    await proxy.close();
  });

  it.each<Fate>([['refuses connections', 'refuse'], ['answers nothing any more', 'swallow'], ...fates])(
    'stops nothing but writes while it %s, and all goes on when it is back',
    async (how, fate) => {
      const stream = streamOn();
      const outage = new Outage(place, tenant, stream.followed);
      await outage.isOver();
      await goAway(fate);
      await outage.lasts(OUTAGE_MS);
      await comeBack(fate);
      await outage.isOver();
      links.push(...(await outage.repeatRefused()));
      await settle(stream);
      expect(stream.repeats).toBe(0);
      console.log(`${server()} ${how} for ${outage.figures()}`);
    },
    600_000 + OUTAGE_MS * 2,
  );

  it(`loses and doubles nothing when its connections break ${CUTS} times (seed ${SEED})`, async () => {
    const stream = streamOn();
    const editors = new Editors(urls('api'), tenant, SEED, () => Promise.resolve());
    await breakAgainAndAgain(new Random(SEED, 4));
    await editors.stop();
    links.push(...editors.links);
    await settle(stream);
    expect(editors.unexpected).toEqual([]);
    console.log(`${CUTS} breaks: ${editors.links.length} links made, ${editors.repeats} requests repeated`);
  });

  it('keeps every acknowledged command, once', async () => {
    const events = await decidedBy(store, tenant);
    const made = events.flatMap(({ type, data }) => (type === 'LinkCreated' ? [data['linkId'] as string] : []));
    expect(compare(links, made)).toEqual({ lost: [], doubled: [], invented: [] });
  });

  it('leaves tables that equal a rebuild, and chains that hold', async () => {
    expect(await differencesFromRebuild(place.databaseUrl, store)).toEqual([]);
    await untilAnswer(
      () => chainsOf(place.databaseUrl, store, tenant),
      ({ intake, decided }) => intake && decided,
    );
  });

  const pidsNow = () => place.apps.map(({ service }) => service.pid);
  const urls = (name: 'api' | 'tracker') => place.all(name).map(({ url }) => url);

  const goAway = (fate: Fate[1]) => (fate === 'pause' ? process.kill(SERVER_PID, 'SIGSTOP') : proxy[fate]());
  const comeBack = (fate: Fate[1]) => (fate === 'pause' ? process.kill(SERVER_PID, 'SIGCONT') : proxy.mend());

  let streams = 0;
  const streamOn = () => new Stream(urls('tracker'), tenant, SEED, `${++streams}`);

  /** Ends the stream, everything of which must be in the log, once; no process may have ended. */
  async function settle(stream: Stream): Promise<void> {
    await settled(stream, tenant, place.databaseUrl);
    expect(place.failures()).toEqual([]);
    expect(pidsNow()).toEqual(pids);
  }

  async function breakAgainAndAgain(random: Random): Promise<void> {
    for (let cut = 0; cut < CUTS; cut++) {
      await sleep(random.between(100, 500));
      await proxy[random.pick(WAYS)]();
      await sleep(random.between(10, 400));
      await proxy.mend();
    }
  }
}
