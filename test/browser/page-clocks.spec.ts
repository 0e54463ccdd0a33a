import { setTimeout as wait } from 'node:timers/promises';
import type { ObservedEvent } from '@ledgerline/contracts/events/observed-events';
import { untilAnswer } from '../journeys/product';
import { describeInChromium } from './chromium';
import { TrackedSite } from './tracked-site';

jest.setTimeout(300_000);

const SECOND = 1_000;
const MINUTE = 60_000;
/** By how much the clock of a page is ahead, ms. */
const CLOCKS = [-10 * MINUTE, -59 * SECOND, -3 * SECOND, 0, 3 * SECOND, 59 * SECOND, 10 * MINUTE];
/** The times, ms, that the first request of a page is on its way. */
const DELAYS = [100, 1_200, 5_000, 15_000];
/** Visitors of each combination: `BROWSER_CLOCKS=8 npx jest test/browser/page-clocks`, as in `npm run prove`. */
const VISITORS = Number(process.env['BROWSER_CLOCKS'] ?? 1);
/** One for each visitor of all combinations; those that sleep do so between two events. */
const DEVICES = Array.from({ length: VISITORS }, (_, n) => [`awake${n}`, `asleep${n}`]).flat();

const SLEEP_MS = 20 * MINUTE;

/** The page of one visitor; its query string says how far its clock is ahead, which begins before the script. */
const VISIT = `<!doctype html><title>Visit</title>
<script>
  const ahead = Number(new URLSearchParams(location.search).get('clock'));
  Object.defineProperty(performance, 'timeOrigin', { value: performance.timeOrigin + ahead });
  addEventListener('message', () => ledgerline.track('paid'));
  setTimeout(() => {
    ledgerline.track('signup');
    parent.postMessage('signed up', '*');
  }, 1500);
</script>
<script defer src="/tracker.js" data-website-id="site_1"></script>`;

/** Holds the pages of all visitors, and counts who has signed up. */
const VISITORS_PAGE = `<!doctype html><title>Visitors</title>
<script>
  let signedUp = 0;
  addEventListener('message', () => signedUp++);
  function open(addresses) {
    for (const address of addresses) document.body.append(Object.assign(document.createElement('iframe'), { src: address }));
  }
  function pay() {
    for (let n = 0; n < frames.length; n++) frames[n].postMessage('pay', '*');
  }
</script>`;

describeInChromium('the events of a page', () => {
  let site: TrackedSite;
  /** Pages whose first request is on its way, or came through: what it sends again is not delayed. */
  const begun = new Set<string>();
  let isClosed = false;

  beforeAll(async () => {
    const visits = Object.fromEntries(DEVICES.flatMap(namesOf).map((name) => [`/${name}`, VISIT]));
    site = await TrackedSite.open({ '/visitors': VISITORS_PAGE, ...visits }, async (body) => {
      const [, name, delay] = /\/(\w+-(\d+)-\d+)/.exec(body) ?? [];
      if (!name || begun.has(name)) return;
      begun.add(name);
      await wait(Number(delay), undefined, { ref: false });
      if (isClosed) await new Promise(() => undefined); // it never arrives
    });
  });
  afterAll(() => {
    isClosed = true;
    return site.close();
  });

  it.each(DEVICES)(
    'are in order whatever its clock shows and however slow its first request is, on the device %s',
    async (device) => {
      const names = namesOf(device);
      const page = await site.openPage('/visitors');
      const addresses = names.map((name) => `${site.address(`/${name}`, `${name}.`)}?clock=${clockOf(name)}`);
      await page.evaluate(`open(${JSON.stringify(addresses)})`);
      await page.waitForFunction(`signedUp === ${names.length}`, { timeout: 120_000 });
      const present = Date.now.bind(Date);
      // its own clock stands still meanwhile
      const clock = device.startsWith('asleep')
        ? jest.spyOn(Date, 'now').mockImplementation(() => present() + SLEEP_MS)
        : null;
      await page.evaluate('pay()');
      const visits = await untilAnswer(
        async () => visitsOf(await site.recorded(), device),
        (found) => [...found.values()].flat().length === 3 * names.length,
      );
      clock?.mockRestore();
      await page.close();
      const wrong = names.filter((name) => visits.get(name)?.join() !== 'PageViewed,signup,paid');
      expect(wrong).toEqual([]);
    },
  );
});

const namesOf = (device: string): readonly string[] =>
  DELAYS.flatMap((delay) => CLOCKS.map((_, clock) => `${device}-${delay}-${clock}`));

const clockOf = (name: string): number => CLOCKS[Number(name.split('-')[2])] ?? NaN;

/** Returns what each visitor did, by the name of the page and in order. */
function visitsOf(events: readonly ObservedEvent[], device: string): ReadonlyMap<string, readonly string[]> {
  const visits = new Map<string, string[]>();
  for (const event of [...events].sort((a, b) => a.at - b.at)) {
    const name = 'path' in event.data ? event.data.path?.slice(1) : undefined;
    const what = event.type === 'CustomEventTracked' ? event.data.name : event.type;
    if (!name?.startsWith(`${device}-`) || !['PageViewed', 'signup', 'paid'].includes(what)) continue;
    visits.set(name, [...(visits.get(name) ?? []), what]);
  }
  return visits;
}
