import { setTimeout as sleep } from 'node:timers/promises';
import type { FirstRun } from '../../scripts/supervisor/screen';

const PATIENCE_MS = 180_000;

/** The api as the signed-in owner of the demo. */
export class Api {
  private constructor(
    private readonly url: string,
    private readonly cookie: string,
  ) {}

  static async signIn({ apiUrl, owner }: FirstRun): Promise<Api> {
    const response = await fetch(`${apiUrl}/v1/auth/sign-in/email`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: apiUrl },
      body: JSON.stringify(owner),
    });
    if (!response.ok) throw new Error(`The sign-in answered ${response.status}: ${await response.text()}`);
    const cookies = response.headers.getSetCookie().map((cookie) => cookie.split(';')[0]);
    return new Api(apiUrl, cookies.join('; '));
  }

  /** The answer to a request; with a body, of a POST. @throws Error if it is refused */
  async ask<T>(path: string, body?: object, method = body === undefined ? 'GET' : 'POST'): Promise<T> {
    const headers = { 'content-type': 'application/json', cookie: this.cookie, origin: this.url };
    const response = await fetch(`${this.url}${path}`, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`);
    return JSON.parse(text) as T;
  }

  /** Asks every second until the answer is the expected one. */
  async until<T>(ask: () => Promise<T>, isExpected: (answer: T) => boolean): Promise<T> {
    const deadline = Date.now() + PATIENCE_MS;
    for (;;) {
      const answer = await ask();
      if (isExpected(answer)) return answer;
      if (Date.now() > deadline) throw new Error(`No expected answer, the last one: ${JSON.stringify(answer)}`);
      await sleep(1_000);
    }
  }
}
