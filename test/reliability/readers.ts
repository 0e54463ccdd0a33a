import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { waitUntil } from '../wait-until';
import { dayAt, type Row, type Tenant } from './tenant';

const READERS = 5;
const PAUSE_MS = 200;

/** The questions, about past days alone, whose answers stay, and with today, where they only grow. */
const QUESTIONS = [
  { about: 'website', parameters: ['summary_metrics', 'top_pages', 'browser_name', 'outbound_domains', 'entry_pages'] },
  {
    about: 'website',
    parameters: ['session_metrics', 'custom_events', 'exit_pages'],
    filters: [{ field: 'device_type', op: 'eq', value: 'desktop' }],
  },
  { about: 'link', parameters: ['link_total_clicks', 'link_top_cities', 'link_top_devices'] },
] as const;

type Question = (typeof QUESTIONS)[number];

/** Clients that ask the same again and again, through a balancer: of the first api that takes a connection. */
export class Readers {
  answers = 0;
  private readonly wrong: unknown[] = [];
  private readonly expected = new Map<Question, readonly Entry[]>();
  private readonly stopping = new AbortController();
  private reading: readonly Promise<void>[] = [];

  constructor(
    public apis: readonly string[],
    private readonly tenant: Tenant,
  ) {}

  /** Notes what is answered now. */
  async begin(): Promise<void> {
    for (const question of QUESTIONS) {
      const found = await waitUntil(
        () => this.read(question),
        (entries) => entries?.every(({ data = [] }) => data.length > 0) === true,
      );
      this.expected.set(question, found ?? []);
    }
    this.reading = Array.from({ length: READERS }, (_, at) => this.loop(at));
  }

  ask(apis: readonly string[]): void {
    this.apis = apis;
  }

  /** Resolves when every reader has asked everything once more. */
  async progress(): Promise<void> {
    const wanted = this.answers + READERS * QUESTIONS.length;
    await waitUntil(() => this.answers >= wanted);
  }

  /** Answers what was wrong. */
  async end(): Promise<readonly unknown[]> {
    this.stopping.abort();
    await Promise.all(this.reading);
    return this.wrong.slice(0, 5);
  }

  private async loop(first: number): Promise<void> {
    for (let at = first; !this.stopping.signal.aborted; at++) {
      const question = QUESTIONS[at % QUESTIONS.length]!;
      const found = await this.read(question).catch((error: unknown) => error);
      if (!isDeepStrictEqual(found, this.expected.get(question))) this.wrong.push({ question, found });
      this.answers++;
      await sleep(PAUSE_MS);
    }
  }

  private async read({ about, ...asked }: Question): Promise<readonly Entry[] | undefined> {
    const subject = about === 'website' ? `website_id=${this.tenant.websiteId}` : `link_id=${this.tenant.linkId}`;
    const body = JSON.stringify({ ...asked, startDate: dayAt(-40), endDate: dayAt(-2), limit: 1_000 });
    const headers = { 'content-type': 'application/json', 'x-api-key': this.tenant.key };
    for (const api of this.apis) {
      const answer = await fetch(`${api}/v1/query?${subject}`, { method: 'POST', headers, body }).catch(
        () => undefined,
      );
      if (!answer) continue; // takes no connections
      const { data } = (await answer.json()) as { data?: readonly Entry[] };
      return data?.map(({ parameter, data: rows, error }) => ({ parameter, data: rows, error }));
    }
    throw new Error(`None of ${this.apis.join(', ')} answers.`);
  }
}

interface Entry {
  readonly parameter: string;
  readonly data?: readonly Row[] | undefined;
  readonly error?: string | undefined;
}
