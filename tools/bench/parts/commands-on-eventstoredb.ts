import { v4 as uuid } from 'uuid';
import { plainLink } from '@ledgerline/domain/links/link.decider';
import type { EventMetadata, JsonEvent } from '@ledgerline/platform/event-store/event-store';
import { ms, perSecond, times, type Figure } from '../figure';
import { Installation } from '../installation/installation';
import { cpuSeconds } from '../installation/process-usage';
import { median } from '../statistics';
import { bareEventStoreDb } from '../yardsticks/bare-eventstoredb';
import { rate, ratePerSecond, type Append } from './append';
import { startLinkCreation } from './link-creation';
import type { BenchContext } from './part';

const CONNECTIONS = 32;
const ROUNDS = 3;
const SECONDS = 8;
const WARM_UP_SECONDS = 12; // until V8 and the server's runtime have compiled what runs
const BARE_SECONDS = 4;
const APPENDS_OF_A_LINK = 2;
/** The wanted share of what the driver does without our rules, appends against appends. */
const WANTED_SHARE = 0.5;

/**
 * The number of things that were done a second, and the milliseconds of CPU for each: of the server, and of all
 * processes.
 */
interface Measured {
  readonly perSecond: number;
  readonly server: number;
  readonly all: number;
}

/**
 * P9 over HTTP: links created on EventStoreDB, in turns with its bare driver, which appends small events to streams of
 * its callers, and what links are: two events in turn, each to a new stream. EVENTSTORE_PID = the server's.
 */
export async function commandsOnEventStoreDb({ print, profileTo }: BenchContext, url: string): Promise<Figure[]> {
  const installation = await Installation.open({ websites: 1, profileTo, eventStoreUrl: url });
  const bare = bareEventStoreDb(url);
  try {
    const createLinks = await startLinkCreation(installation);
    const create = async (seconds: number) => (await createLinks(CONNECTIONS, seconds)).perSecond;
    await create(WARM_UP_SECONDS);
    const bareLinks = () => ratePerSecond((until) => bareLinksUntil(bare.append, until), BARE_SECONDS);
    await rate(bare.append, BARE_SECONDS);
    await bareLinks();
    const rounds: Record<'links' | 'bare' | 'bareLinks', Measured[]> = { links: [], bare: [], bareLinks: [] };
    for (let round = 1; round <= ROUNDS; round++) {
      print(`commands: round ${round} of ${ROUNDS}`);
      rounds.bare.push(await measured(installation, BARE_SECONDS, () => rate(bare.append, BARE_SECONDS)));
      rounds.bareLinks.push(await measured(installation, BARE_SECONDS, bareLinks));
      rounds.links.push(await measured(installation, SECONDS, () => create(SECONDS)));
    }
    return [againstAppends(rounds.links, rounds.bare), againstLinks(rounds.links, rounds.bareLinks)];
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

function againstAppends(links: readonly Measured[], bare: readonly Measured[]): Figure {
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

function againstLinks(links: readonly Measured[], bare: readonly Measured[]): Figure {
  const share = rateOf(links) / rateOf(bare);
  return {
    id: 'P9',
    what: 'The same against the same two events, in turn and each to a new stream, by the bare driver',
    target: `≥ ${WANTED_SHARE * 100} %`,
    measured: perSecond(rateOf(links), 'links'),
    yardstick: `${perSecond(rateOf(bare), 'pairs')} by the bare driver${cpuOf(bare)}`,
    ratio: times(share),
    isMet: share >= WANTED_SHARE,
  };
}

const rateOf = (rounds: readonly Measured[]): number => median(rounds.map((each) => each.perSecond));

/** One caller's pairs, of the size of a reserved slug and a created link, but of a type that no projection reads. */
async function bareLinksUntil(append: Append, until: number): Promise<number> {
  let pairs = 0;
  for (; performance.now() < until; pairs++) {
    const slug = uuid().slice(0, 8);
    const linkId = `link_${uuid().replaceAll('-', '')}`;
    const command = uuid();
    const ids = { organizationId: 'org_bench', linkId, slug };
    const metadata = metadataOf(command);
    const event = (data: JsonEvent['data']) => ({ id: uuid(), type: 'BenchmarkAppended', data, metadata });
    await append(`global-benchmark-${slug}${command}`, 0, event(ids));
    const details = { name: 'A link', targetUrl: 'https://example.com/landing', ...plainLink, createdBy: 'key_bench' };
    await append(`org_bench-benchmark-${linkId}`, 0, event({ ...ids, ...details }));
  }
  return pairs;
}

/** Returns what the api gives the events of a command, under the names of the server. */
const metadataOf = (command: string): EventMetadata => ({
  actor: 'key_bench',
  actorType: 'api_key',
  actorName: 'Benchmark',
  organization: 'org_bench',
  occurredAt: new Date().toISOString(),
  $correlationId: command,
  $causationId: command,
  command,
  commandType: 'CreateLink',
  requestId: command,
  app: 'api',
  schemaVersion: '2',
});

/** Empty where the process of the server is not known. */
function cpuOf(rounds: readonly Measured[]): string {
  const server = median(rounds.map((each) => each.server));
  const all = median(rounds.map((each) => each.all));
  return Number.isFinite(server) ? `; CPU for each: ${ms(server)} of the server, ${ms(all)} of all` : '';
}
