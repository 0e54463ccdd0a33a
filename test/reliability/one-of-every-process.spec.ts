import { setTimeout as sleep } from 'node:timers/promises';
import { Random } from '../../tools/traffic/random';
import { untilAnswer } from '../journeys/product';
import { waitUntil } from '../wait-until';
import { Grace } from './grace';
import { Installation, type AppName } from './installation';
import { chainsOf, clicksOf, differencesFromRebuild, expectCounted, hitsOf, loggedOf, NONE, onceOf } from './log-audit';
import { untilSpoolIsEmpty } from './spooled-clicks';
import { Stream } from './stream';
import { newTenant, rowsOf, type Tenant } from './tenant';
import { DOWN_MS, waitForPostgres } from './wait-for-postgres';

/** One of each; `RELIABILITY_KILLS=100 npx jest test/reliability/one-of-every` for more, RELIABILITY_SEED for another order. */
const KILLS = Number(process.env['RELIABILITY_KILLS'] ?? 4);
const SEED = Number(process.env['RELIABILITY_SEED'] ?? 20_261_121);

/** `fetch` fails with a TypeError when nobody answers. */
const GOOD_ANSWER = /^ok$|^TypeError: (fetch failed|terminated)$| answered 503: /;

type Victim = AppName | 'postgres';
interface Kill {
  readonly victim: Victim;
  readonly at: number;
}

jest.setTimeout(600_000 + KILLS * 15_000 + DOWN_MS);

let place: Installation;
let tenant: Tenant;
let stream: Stream;
let kills: Kill[];
let grace: Grace;
let answers: Set<string>;

beforeAll(async () => {
  place = await Installation.open({ api: 1, tracker: 1, projector: 1 });
});
afterAll(() => place.close());

describe('while Postgres is away', () => waitForPostgres(() => place));

describe(`after ${KILLS} kills of tracker, projector, api and Postgres under load (seed ${SEED})`, () => {
  beforeAll(async () => {
    tenant = await newTenant(place.url('api'));
    stream = new Stream([place.url('tracker')], tenant, SEED);
    const asking = askAllAlong();
    grace = new Grace(place.folder);
    kills = await killInSomeOrder();
    await place.allReady();
    await stream.progress();
    await stream.stop();
    answers = await asking.stop();
    await grace.stop();
  });

  it('clients saw nothing but success, no answer, or "try again"', () => {
    expect(place.failures()).toEqual([]);
    expect(stream.unexpected).toEqual([]);
    expect([...answers].filter((answer) => !GOOD_ANSWER.test(answer))).toEqual([]);
  });

  it('every acknowledged event is in the log and in the answers, once', async () => {
    const log = await logUntilSpoolsAreEmpty();
    const clicks = clicksOf(stream, tenant, log);
    expect(stream.acknowledged).toBeGreaterThan(50);
    expect(hitsOf(stream, tenant, log)).toEqual(NONE);
    expect(onceOf(stream, log)).toEqual(NONE);
    expect(clicks.doubled).toEqual([]);
    console.log(report(clicks.lost.length));
    await expectCounted(place.url('api'), tenant, log);
  });

  it('both chains hold', async () => {
    const chains = await chainsOf(place.databaseUrl, place, tenant);
    expect(chains).toEqual({ intake: true, decided: true });
  });

  it('the tables equal a rebuild', async () => {
    expect(await differencesFromRebuild(place.databaseUrl, place)).toEqual([]);
  });

  function mayBeLost(id: string): boolean {
    const { asked, at } = stream.followed.find((each) => each.id === id)!;
    return kills.some((kill) => kill.victim === 'tracker' && asked <= kill.at && grace.covers(at, kill.at));
  }

  /** Spooled clicks arrive a moment later: waits until none is missing and none is left on disk. */
  async function logUntilSpoolsAreEmpty() {
    await untilAnswer(
      async () =>
        clicksOf(stream, tenant, await loggedOf(tenant, place.databaseUrl)).lost.filter((id) => !mayBeLost(id)),
      (missing) => missing.length === 0,
    );
    await untilSpoolIsEmpty(place.folder);
    return loggedOf(tenant, place.databaseUrl);
  }

  function report(lostClicks: number): string {
    const { acknowledged, views, events, once, followed, repeats } = stream;
    return `${kills.length} kills (${kills.map(({ victim }) => victim).join(', ')}): ${acknowledged} acknowledged \
(${views.size} views, ${events.size} events, ${once.size} events without id, ${followed.length} clicks), ${repeats} requests repeated, \
${lostClicks} clicks without an event, all within ${grace.name} of a kill of the tracker`;
  }
});

/** Each round kills every kind once, in an order of its own; sometimes before the one before has come back. */
async function killInSomeOrder(): Promise<Kill[]> {
  const random = new Random(SEED);
  const kills: Kill[] = [];
  let round: Victim[] = [];
  while (kills.length < KILLS) {
    if (round.length === 0) round = ['tracker', 'projector', 'api', 'postgres'];
    const [victim] = round.splice(random.below(round.length), 1);
    await sleep(random.between(150, 700));
    if (random.chance(0.6)) await place.allReady();
    kills.push(await kill(victim!));
  }
  return kills;
}

function kill(victim: Victim): Promise<Kill> {
  return waitUntil(() => {
    const pid = victim === 'postgres' ? place.postmaster : place.all(victim)[0]!.service.pid;
    const at = Date.now();
    return pid !== undefined && wasKilled(pid) && { victim, at };
  });
}

function wasKilled(pid: number): boolean {
  try {
    return process.kill(pid, 'SIGKILL');
  } catch {
    return false;
  }
}

/** Asks questions all the time, and tells which answers there were. */
function askAllAlong(): { stop(): Promise<Set<string>> } {
  const answers = new Set<string>();
  const stopping = new AbortController();
  const asking = (async () => {
    while (!stopping.signal.aborted) {
      const answer = await rowsOf(place.url('api'), tenant, 'top_pages', 'website').then(
        () => 'ok',
        (error: unknown) => String(error),
      );
      answers.add(answer);
      await sleep(40);
    }
  })();
  return {
    stop: async () => {
      stopping.abort();
      await asking;
      return answers;
    },
  };
}
