import { SingleBar } from 'cli-progress';
import { StartFailure } from '@ledgerline/platform/config/start-failure';
import { Random } from '../traffic/random';
import type { Options } from './options';
import type { Follow } from './own-tracker';
import { requestsOf, type Request, type Route } from './requests';
import { Sender } from './sender';
import { Tally } from './tally';
import { KEYLESS_DAYS, trafficOf } from './traffic';

const CONNECTIONS = 16;
const DAY_MS = 86_400_000;
const SHARE_SENT_TWICE = 0.005;
const RATE_LIMITS =
  'LIMIT_REQUESTS_PER_WEBSITE_AND_IP_PER_MINUTE (browsers), LIMIT_EVENTS_PER_KEY_PER_MINUTE (servers) and LIMIT_REDIRECTS_PER_IP_PER_MINUTE (short links)';

/**
 * Sends all of the traffic up to `end` (epoch ms) and returns the counts of what was accepted and rejected. Without
 * `follow`, clicks are requests of now, so only those of the last day are sent.
 */
export async function simulate(
  options: Options,
  print: (line: string) => void,
  { end = Date.now(), follow }: { readonly end?: number; readonly follow?: Follow | undefined } = {},
): Promise<Tally> {
  await checkThatItRuns(options.trackUrl);
  sayWhatIsLeftOut(options, follow !== undefined, print);
  const simulation = new Simulation(options, end, follow);
  const tally = await simulation.run();
  for (const note of simulation.notes) print(note);
  return tally;
}

class Simulation {
  /** Messages that are printed once. */
  readonly notes = new Set<string>();
  private readonly tally = new Tally();
  private readonly missing = new Set<Route>();
  private readonly random: Random;
  private readonly sender = new Sender(CONNECTIONS, (status, seconds) => this.wait(status, seconds));
  private readonly bar = new SingleBar({
    format: '{bar} {percentage} % | {value} of {total} events | {rate} events/s | {state}',
    hideCursor: true,
    noTTYOutput: true,
    notTTYSchedule: 10_000,
  });

  constructor(
    private readonly options: Options,
    private readonly end: number,
    private readonly follow: Follow | undefined,
  ) {
    this.random = new Random(options.seed, 5);
  }

  async run(): Promise<Tally> {
    let total = 0;
    for (const { hits } of this.requests()) total += hits;
    this.bar.start(total, 0, { rate: 0, state: 'sending' });
    const queue = this.requests();
    const work = async () => {
      for (const request of queue) await this.deliver(request);
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, work));
    this.bar.stop();
    this.sender.close();
    return this.tally;
  }

  private *requests(): Generator<Request> {
    const since = this.follow === undefined ? this.end - DAY_MS : 0;
    for (const hour of trafficOf(this.options, this.end)) {
      for (const request of requestsOf(hour, this.options)) {
        const [{ timestamp } = { timestamp: 0 }] = request.items;
        if (request.route !== 'short link' || timestamp >= since) yield request;
      }
    }
  }

  private async deliver(request: Request): Promise<void> {
    if (!this.missing.has(request.route)) await this.send(request);
    const seconds = Math.max((Date.now() - this.end) / 1000, 0.001);
    this.bar.increment(request.hits, { rate: Math.round(this.tally.accepted / seconds), state: 'sending' });
  }

  private async send(request: Request): Promise<void> {
    const isTwice = request.method === 'POST' && !request.isBot && this.random.chance(SHARE_SENT_TWICE);
    const follow = request.route === 'short link' ? this.follow : undefined;
    const reply = follow === undefined ? await this.sender.send(request) : await follow(request);
    if (reply.status === 404 && isReport(request)) {
      this.missing.add(request.route);
      this.notes.add(`This tracker has no ${request.route}: its events were skipped.`);
      return;
    }
    this.tally.add(request, reply);
    if (!isTwice) return;
    await this.sender.send(request);
    this.tally.repeated++;
  }

  private wait(status: number, seconds: number): void {
    const why = status === 429 ? 'at the rate limit' : 'the tracker is busy';
    this.bar.update({ state: `${why}, waiting ${Math.ceil(seconds)} s` });
    if (status === 429)
      this.notes.add(`Slowed down by rate limits; start the tracker with higher ones: ${RATE_LIMITS}.`);
  }
}

/** A 404 on these routes means that the tracker has no such route; on others that the website is unknown. */
const isReport = ({ route }: Request) => ['/vitals', '/errors', '/engagement', '/identify'].includes(route);

async function checkThatItRuns(trackUrl: string): Promise<void> {
  const health = await fetch(`${trackUrl}/health`).catch(() => undefined);
  if (health?.ok !== true) throw new StartFailure(`No tracker answers at ${trackUrl}; run "npm start" first.`);
}

function sayWhatIsLeftOut({ apiKey, shortUrl }: Options, hasPast: boolean, print: (line: string) => void): void {
  if (apiKey === undefined) {
    print(
      `No API key of the website's organization (--api-key): nothing older than ${KEYLESS_DAYS} days and no server events are sent.`,
    );
  }
  if (shortUrl === undefined) print('No short link (--link): no clicks are sent.');
  else if (!hasPast) print('Clicks on the short link cannot be backdated: those of the last day happen now.');
}
