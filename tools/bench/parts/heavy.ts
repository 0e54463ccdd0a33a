import { setTimeout as sleep } from 'node:timers/promises';
import { encodeEventId } from '@ledgerline/contracts/events/event-id';
import type { IntakeLog } from '@ledgerline/platform/intake-log/intake-log';
import { observe, type Subjects } from '../../traffic/observe';
import { catchUp } from '../catch-up';
import { count, ms, type Figure } from '../figure';
import { lastDays, piecesOf, planFor } from '../fill';
import type { Installation } from '../installation/installation';
import { packOwnDays } from '../installation/own-versions';
import { memoryMegabytes } from '../installation/process-usage';
import { withFilled } from '../loaded';
import { quantile } from '../statistics';
import { DASHBOARD } from './dashboards';
import { QUARTER } from './filters';
import { FUNNEL_OF_32 } from './goals';
import type { BenchContext, Part } from './part';

/** Node's own choice on a machine with about half a gigabyte. */
const HEAP_MB = 160;
/** The visits of a day are spread over its hours so far. */
const NEARLY_ALL = 0.99;
const VALUES = 500_000;
const LISTS = ['session_list', 'profile_list', 'custom_events_recent', 'recent_errors', 'custom_events_by_path'];
/** Values of one visitor. */
const EACH = 5;
const CHUNK = 4_000;
const AT_ONCE = 8;
const WATCH_EVERY_MS = 250;

/** P22: questions that may take more memory than a small api has, each alone and eight at once; none may end it. */
export const heavy: Part = (order) => {
  const plan = { ...planFor(order.todayEvents), today: NEARLY_ALL };
  return withFilled([plan], order, async ({ installation, log }) => {
    const [subjects] = installation.registered.subjects;
    const projector = await installation.start('projector');
    await sendValues(log, subjects, plan);
    order.print(`heavy: wrote ${count(VALUES)} values`);
    await catchUp(log, installation.databaseUrl);
    await projector.stop();
    await packOwnDays(installation.databaseUrl, log);
    const walk = new Walk(order, installation, { ...lastDays(plan), websiteId: subjects.websiteId });
    return walk.take();
  });
};

/** Custom events of one name with a property that has so many values. */
async function sendValues(log: IntakeLog, subjects: Subjects, plan: ReturnType<typeof planFor>): Promise<void> {
  const templates = [...piecesOf(plan, CHUNK)].flat().filter(({ hit }) => hit.kind === 'custom');
  const id = Buffer.alloc(16, 0xab);
  for (let sent = 0; sent < VALUES; sent += CHUNK) {
    const items = Array.from({ length: Math.min(CHUNK, VALUES - sent) }, (_, nth) => {
      const event = observe(templates[nth % templates.length] ?? absent(), subjects);
      if (event.type !== 'CustomEventTracked') absent();
      id.writeUInt32BE(sent + nth);
      const who = Math.floor((sent + nth) / EACH)
        .toString(16)
        .padStart(32, '0');
      const properties = { order: `order ${sent + nth}` };
      const data = {
        ...event.data,
        name: 'ordered',
        path: `/orders/${sent + nth}`,
        properties,
        visitorId: who,
        sessionId: who,
      };
      return {
        event: { ...event, id: encodeEventId(id), data },
        subject: subjects.websiteId,
        dedupe: 'never' as const,
      };
    });
    await log.send(items);
  }
}

function absent(): never {
  throw new Error('The traffic has no custom event.');
}

interface Heavy {
  readonly what: string;
  readonly path: string;
  readonly body: object;
  readonly accept?: string;
}

interface Outcome {
  /** The failures of the response and of each of its entries that was not answered; empty = all were. */
  readonly failures: readonly string[];
  readonly tookMs: number;
  readonly bytes: number;
}

class Walk {
  private readonly query: string;

  constructor(
    private readonly order: BenchContext,
    private readonly installation: Installation,
    private readonly asked: ReturnType<typeof lastDays> & { readonly websiteId: string },
  ) {
    this.query = `/v1/query?website_id=${asked.websiteId}`;
  }

  async take(): Promise<readonly Figure[]> {
    const { installation } = this;
    const api = await installation.start('api', { NODE_OPTIONS: `--max-old-space-size=${HEAP_MB}` });
    const figures: Figure[] = [];
    const questions = this.questions();
    for (const question of questions) figures.push(await this.figureOf(question.what, api, [question]));
    const together = Array.from({ length: AT_ONCE }, (_, nth) => questions.slice(nth).concat(questions.slice(0, nth)));
    figures.push(await this.figureOf(`${AT_ONCE} at once, each all of these in another order`, api, ...together));
    await api.stop();
    return figures;
  }

  private questions(): readonly Heavy[] {
    const { websiteId, ...range } = this.asked;
    const of = (what: string, ...parameters: readonly unknown[]): Heavy => ({
      what,
      path: this.query,
      body: { parameters, ...range },
    });
    const filtered = { parameters: DASHBOARD, filters: QUARTER, ...range };
    const values = { name: 'custom_event_properties', limit: 5_000 };
    const lastPages = LISTS.map((name): Heavy => ({
      ...of(`Rows 90,001 to 100,000 of ${name}`, name),
      body: { parameters: [name], page: 10, limit: 10_000, ...range },
    }));
    const byPath = { name: 'custom_events_by_path', limit: 100 };
    return [
      of('Funnel of 32 steps', FUNNEL_OF_32),
      of(`A property with ${count(VALUES)} values`, values),
      { ...of('The same as CSV', values), accept: 'text/csv' },
      of(`As many paths`, byPath),
      { ...of('The same by name', byPath), body: { parameters: [byPath], sortBy: 'name', sortOrder: 'asc', ...range } },
      ...lastPages,
      { what: 'Dashboard with a filter', path: this.query, body: filtered },
      { what: 'Batch of 20 requests with filters', path: this.query, body: Array.from({ length: 20 }, () => filtered) },
      {
        what: 'Overview with filters',
        path: '/v1/query/overview',
        body: { about: 'website', ids: [websiteId], ...filtered },
      },
    ];
  }

  /** Rows of questions that follow each other, at once. */
  private async figureOf(
    what: string,
    { url, pid }: { readonly url: string; readonly pid: number },
    ...rows: readonly (readonly Heavy[])[]
  ): Promise<Figure> {
    const over = new AbortController();
    const watching = peakOf(pid, over.signal);
    let outcomes: Outcome[][];
    try {
      outcomes = await Promise.all(rows.map((row) => this.askInTurn(url, row)));
    } finally {
      over.abort();
    }
    const all = outcomes.flat();
    const failures = [...new Set(all.flatMap((outcome) => outcome.failures))];
    const took = all.map(({ tookMs }) => tookMs);
    const bytes = Math.max(...all.map((outcome) => outcome.bytes));
    const isAlive = process.kill(pid, 0);
    const measured = `${ms(quantile(took, 0.5))}, at most ${ms(Math.max(...took))}; ${count(bytes / 1024)} KB; peak ${count(await watching)} MB; ${failures.join(', ') || 'answered'}`;
    this.order.print(`heavy: ${what}: ${measured}`);
    return { id: 'P22', what, target: 'the api goes on', measured, yardstick: '', ratio: '', isMet: isAlive };
  }

  private async askInTurn(url: string, questions: readonly Heavy[]): Promise<Outcome[]> {
    const outcomes: Outcome[] = [];
    for (const question of questions) outcomes.push(await this.ask(url, question));
    return outcomes;
  }

  private async ask(url: string, { path, body, accept = 'application/json' }: Heavy): Promise<Outcome> {
    const startedAt = performance.now();
    const headers = {
      accept,
      'content-type': 'application/json',
      'x-api-key': this.installation.registered.apiKey,
    };
    const response = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
    const text = await response.text();
    const outcome = { tookMs: performance.now() - startedAt, bytes: text.length };
    const codes = text.matchAll(/"code":"([A-Z_]+)"/g);
    const failed = Array.from(codes, ([, code = '']) => code);
    const failures = response.ok ? failed : [`${response.status} ${failed.join(' ')}`];
    return { ...outcome, failures };
  }
}

/** MB of a process, at most. */
async function peakOf(pid: number, over: AbortSignal): Promise<number> {
  let peak = 0;
  while (!over.aborted) {
    peak = Math.max(peak, memoryMegabytes([pid]));
    await sleep(WATCH_EVERY_MS, undefined, { signal: over }).catch(() => undefined);
  }
  return peak;
}
