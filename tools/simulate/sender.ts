import { Agent, request as httpRequest } from 'node:http';
import { Agent as SecureAgent, request as httpsRequest } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Request } from './requests';

export interface Reply {
  /** 0 = no response. */
  readonly status: number;
  readonly body: string;
}

/** Called when the tracker answers 429 or 503. */
type OnWait = (status: number, seconds: number) => void;

const TRIES = 12;
const TIMEOUT_MS = 30_000;
const MOST_PATIENCE_S = 65;

/** Sends requests over keep-alive connections, with limited concurrency; waits for `Retry-After` on 429 and 503. */
export class Sender {
  private readonly plain: Agent;
  private readonly secure: SecureAgent;
  private pausedUntil = 0;

  constructor(
    connections: number,
    private readonly onWait: OnWait,
  ) {
    this.plain = new Agent({ keepAlive: true, maxSockets: connections });
    this.secure = new SecureAgent({ keepAlive: true, maxSockets: connections });
  }

  /** After twelve tries, the last response. */
  async send(request: Request): Promise<Reply> {
    for (let tried = 1; ; tried++) {
      await this.untilWelcome();
      const { retryAfter, ...reply } = await this.once(request);
      const isBusy = reply.status === 0 || reply.status === 429 || reply.status === 503;
      if (!isBusy || tried === TRIES) return reply;
      const seconds = Math.min(retryAfter ?? Math.min(0.1 * 2 ** tried, 10), MOST_PATIENCE_S);
      this.pausedUntil = Math.max(this.pausedUntil, Date.now() + seconds * 1000);
      this.onWait(reply.status, seconds);
    }
  }

  close(): void {
    this.plain.destroy();
    this.secure.destroy();
  }

  /** One 429 pauses all connections, because they share the limit. */
  private async untilWelcome(): Promise<void> {
    for (let left = 1; left > 0;) {
      left = this.pausedUntil - Date.now();
      if (left > 0) await sleep(left);
    }
  }

  private once({ route, method, url, headers, items }: Request): Promise<Reply & { retryAfter: number | undefined }> {
    const body = method === 'GET' ? undefined : JSON.stringify(route === '/identify' ? items[0] : items);
    const length = body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(body)) };
    const [send, agent] = url.startsWith('https:') ? [httpsRequest, this.secure] : [httpRequest, this.plain];
    const options = { method, agent, timeout: TIMEOUT_MS, headers: { ...headers, ...length } };
    return new Promise((resolve) => {
      const request = send(url, options, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', () => resolve({ status: 0, body: 'the connection broke', retryAfter: undefined }));
        response.on('end', () => {
          const retryAfter = Number(response.headers['retry-after'] ?? NaN);
          const text = Buffer.concat(chunks).toString();
          const patience = Number.isFinite(retryAfter) ? retryAfter : undefined;
          resolve({ status: response.statusCode ?? 0, body: text, retryAfter: patience });
        });
      });
      request.on('timeout', () => request.destroy(new Error('no answer within 30 s')));
      request.on('error', (error) => resolve({ status: 0, body: error.message, retryAfter: undefined }));
      request.end(body);
    });
  }
}
