import { ms, perSecond, times, type Figure } from '../figure';
import { cpuSeconds } from '../installation/cpu-time';
import { Installation } from '../installation/installation';
import { median } from '../statistics';
import { bareEventStoreDb } from '../yardsticks/bare-eventstoredb';
import { startLinkCreation } from './link-creation';
import { rate } from './append';
import type { BenchContext } from './part';

const CONNECTIONS = 32;
const ROUNDS = 3;
const SECONDS = 8;
const WARM_UP_SECONDS = 12; // until V8 and the server's runtime have compiled what runs
const BARE_SECONDS = 4;
const APPENDS_OF_A_LINK = 2;
/** Of what the driver does without our rules, appends against appends. */
const WANTED_SHARE = 0.5;

/** How many things were done a second, and the milliseconds of CPU for each: of the server, and of all processes. */
interface Measured {
  readonly perSecond: number;
  readonly server: number;
  readonly all: number;
}

/** P9 over HTTP: links created on EventStoreDB, in turns with appends by its bare driver. EVENTSTORE_PID = the server's. */
export async function commandsOnEventStoreDb({ print, profileTo }: BenchContext, url: string): Promise<Figure[]> {
  const installation = await Installation.open(1, profileTo, url);
  const bare = bareEventStoreDb(url);
  try {
    const createLinks = await startLinkCreation(installation);
    const create = async (seconds: number) => (await createLinks(CONNECTIONS, seconds)).perSecond;
    await create(WARM_UP_SECONDS);
    await rate(bare.append, BARE_SECONDS);
    const rounds = { links: [] as Measured[], bare: [] as Measured[] };
    for (let round = 1; round <= ROUNDS; round++) {
      print(`commands: round ${round} of ${ROUNDS}`);
      rounds.bare.push(await measured(installation, BARE_SECONDS, () => rate(bare.append, BARE_SECONDS)));
      rounds.links.push(await measured(installation, SECONDS, () => create(SECONDS)));
    }
    return [figure(rounds.links, rounds.bare)];
  } finally {
    await bare.close();
    await installation.close();
  }
}

async function measured(installation: Installation, seconds: number, run: () => Promise<number>): Promise<Measured> {
  const server = Number(process.env['EVENTSTORE_PID'] ?? NaN);
  const before = [cpuSeconds([server]), installation.cpuSeconds(server, process.pid)] as const;
  const perSecond = await run();
  const each = (after: number, earlier: number) => ((after - earlier) * 1000) / (perSecond * seconds);
  return {
    perSecond,
    server: each(cpuSeconds([server]), before[0]),
    all: each(installation.cpuSeconds(server, process.pid), before[1]),
  };
}

function figure(links: readonly Measured[], bare: readonly Measured[]): Figure {
  const rateOf = (rounds: readonly Measured[]) => median(rounds.map(({ perSecond }) => perSecond));
  const share = (rateOf(links) * APPENDS_OF_A_LINK) / rateOf(bare);
  return {
    id: 'P9',
    what: `POST /v1/links on EventStoreDB, ${CONNECTIONS} connections, two appends a link`,
    target: `≥ ${WANTED_SHARE * 100} % of its bare driver, in appends`,
    measured: `${perSecond(rateOf(links), 'links')}${cpuOf(links)}`,
    yardstick: `${perSecond(rateOf(bare), 'appends')} by the bare driver${cpuOf(bare)}`,
    ratio: times(share),
    isMet: share >= WANTED_SHARE,
  };
}

/** Empty where the process of the server is not known. */
function cpuOf(rounds: readonly Measured[]): string {
  const [server, all] = [median(rounds.map((each) => each.server)), median(rounds.map((each) => each.all))];
  return Number.isFinite(server) ? `; CPU for each: ${ms(server)} of the server, ${ms(all)} of all` : '';
}
