import { StartFailure } from '@ledgerline/platform/config/start-failure';
import { SingleBar } from 'cli-progress';
import { Random } from '../traffic/random';
import type { Options } from './options';
import { requestsOf, type Request, type Route } from './requests';
import { Sender } from './sender';
import { Tally } from './tally';
import { BROWSER_DAYS, trafficOf } from './traffic';

const CONNECTIONS = 16;
const SHARE_SENT_TWICE = 0.005;
const RATE_LIMITS =
  'LIMIT_REQUESTS_PER_WEBSITE_AND_IP_PER_MINUTE (browsers), LIMIT_EVENTS_PER_KEY_PER_MINUTE (servers) and LIMIT_REDIRECTS_PER_IP_PER_MINUTE (short links)';

/** Sends all of the traffic up to `end` (epoch ms) and returns the counts of what was accepted and rejected. */
export async function simulate(options: Options, print: (line: string) => void, end = Date.now()): Promise<Tally> {
  await checkThatItRuns(options.trackUrl);
  sayWhatIsLeftOut(options, print);
  const simulation = new Simulation(options, end);
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
    for (const hour of trafficOf(this.options, this.end)) yield* requestsOf(hour, this.options);
  }

  private async deliver(request: Request): Promise<void> {
    if (!this.missing.has(request.route)) await this.send(request);
    const seconds = Math.max((Date.now() - this.end) / 1000, 0.001);
    this.bar.increment(request.hits, { rate: Math.round(this.tally.accepted / seconds), state: 'sending' });
  }

  private async send(request: Request): Promise<void> {
    const isTwice = request.items.length > 0 && !request.isBot && this.random.chance(SHARE_SENT_TWICE);
    const reply = await this.sender.send(request);
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

function sayWhatIsLeftOut({ days, apiKey, shortUrl }: Options, print: (line: string) => void): void {
  if (days > BROWSER_DAYS) {
    print(`Browsers can send events of the last ${BROWSER_DAYS} days: earlier days get server events only.`);
  }
  if (apiKey === undefined) print('No API key (--api-key): no server events are sent.');
  if (shortUrl === undefined) print('No short link (--link): no clicks are sent.');
  else print('Clicks on the short link cannot be backdated: all of them happen now.');
}
