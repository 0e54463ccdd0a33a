import { setTimeout as sleep } from 'node:timers/promises';
import type { Running } from './installation';
import { send } from './send';

/** One request that presented the key. Times by the monotonic clock, ms. */
export interface Shot {
  readonly to: string;
  readonly sentAt: number;
  /** Undefined when nothing came back. */
  readonly status: number | undefined;
}

/** Requests with one key to processes of api and tracker, one after another to each. */
export class KeyHammer {
  readonly shots: Shot[] = [];
  private readonly loops: Promise<void>[] = [];
  private readonly pending: Promise<void>[] = [];
  private isOver = false;

  constructor(
    private readonly secret: string,
    private readonly websiteId: string,
  ) {}

  /** Sends requests until the end, each after the answer to the one before. */
  keepSending(targets: readonly Running[]): void {
    this.loops.push(...targets.map((target) => this.loop(target)));
  }

  /** Sends one request whose answer is not waited for. */
  sendOne(target: Running): void {
    this.pending.push(this.shoot(target));
  }

  /** Sends one request to each; their statuses. */
  async ask(targets: readonly Running[]): Promise<(number | undefined)[]> {
    await Promise.all(targets.map((target) => this.shoot(target)));
    return this.shots.slice(-targets.length).map(({ status }) => status);
  }

  /** Resolves when every request is answered. */
  async end(): Promise<void> {
    this.isOver = true;
    await Promise.all([...this.loops, ...this.pending]);
  }

  private async loop(target: Running): Promise<void> {
    while (!this.isOver) {
      await this.shoot(target);
      await sleep(3);
    }
  }

  private async shoot({ name, url }: Running): Promise<void> {
    const sentAt = performance.now();
    const headers = { 'x-api-key': this.secret, 'content-type': 'application/json' };
    const event = JSON.stringify({ name: 'shot', websiteId: this.websiteId });
    const reply =
      name === 'api'
        ? await send(`${url}/v1/query/websites`, { headers })
        : await send(`${url}/track`, { method: 'POST', headers, body: event });
    this.shots.push({ to: url, sentAt, status: reply?.status });
  }
}
