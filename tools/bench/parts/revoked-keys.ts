import { randomBytes } from 'node:crypto';
import type { Installation } from '../installation/installation';
import { quantile } from '../statistics';

const KEYS = 20;

export interface Revocations {
  readonly keys: number;
  /** The number of them that no process accepted in the first request after the answer. */
  readonly refused: number;
  /** Milliseconds from the request to its answer. */
  readonly p50: number;
  readonly p99: number;
}

/** Revokes keys on one api, and presents each to this api, another one and a tracker as soon as that is answered. */
export async function revokeKeys(installation: Installation): Promise<Revocations> {
  const unlimited = { LIMIT_FAILED_AUTH_PER_MINUTE: '1000000' };
  const apis = [await installation.start('api', unlimited), await installation.start('api', unlimited)];
  const apps = [...apis, await installation.start('tracker')];
  const urls = apps.map(({ url }) => url);
  const owner = await Owner.signUp(urls[0] ?? '');
  const took: number[] = [];
  let refused = 0;
  for (let n = 0; n < KEYS; n++) {
    const { id, secret } = await owner.createKey();
    const before = await present(secret, urls);
    if (before.some((status) => status !== 200)) throw new Error(`A new key is answered with ${before.join(', ')}.`);
    const startedAt = performance.now();
    await owner.revoke(id);
    took.push(performance.now() - startedAt);
    const after = await present(secret, urls);
    if (after.every((status) => status === 401)) refused += 1;
  }
  for (const app of apps) await app.stop();
  return { keys: KEYS, refused, p50: quantile(took, 0.5), p99: quantile(took, 0.99) };
}

/** The statuses of an authenticated request to each. */
const present = (secret: string, [one = '', other = '', tracker = '']: readonly string[]): Promise<number[]> => {
  const headers = { 'x-api-key': secret };
  const event = { method: 'POST', headers: { ...headers, ...JSON_TYPE }, body: JSON.stringify({ name: 'presented' }) };
  const answers = [
    fetch(`${one}/v1/query/websites`, { headers }),
    fetch(`${other}/v1/query/websites`, { headers }),
    fetch(`${tracker}/track`, event),
  ];
  return Promise.all(answers.map(async (answer) => (await answer).status));
};

const JSON_TYPE = { 'content-type': 'application/json' } as const;

/** A person with an organization, signed in at one api. */
class Owner {
  private constructor(
    private readonly api: string,
    private readonly cookie: string,
    private readonly organizationId: string,
  ) {}

  static async signUp(api: string): Promise<Owner> {
    const person = { email: `${randomBytes(6).toString('hex')}@example.com`, password: 'correct horse battery' };
    const origin = `http://localhost:${new URL(api).port}`; // where the api supposes its own pages
    const answer = await post(`${api}/v1/auth/sign-up/email`, { ...person, name: 'Bench' }, { origin });
    const cookie = answer.headers
      .getSetCookie()
      .map((each) => each.split(';')[0])
      .join('; ');
    const { id } = (await (await post(`${api}/v1/organizations`, { name: 'Bench' }, { cookie })).json()) as {
      id: string;
    };
    return new Owner(api, cookie, id);
  }

  async createKey(): Promise<{ readonly id: string; readonly secret: string }> {
    const key = { organizationId: this.organizationId, name: 'Revoked', scopes: ['read:data', 'track:events'] };
    const answer = await post(`${this.api}/v1/api-keys`, key, { cookie: this.cookie });
    return (await answer.json()) as { id: string; secret: string };
  }

  async revoke(id: string): Promise<void> {
    await post(`${this.api}/v1/api-keys/${id}/revoke`, undefined, { cookie: this.cookie });
  }
}

async function post(url: string, body: object | undefined, headers: Readonly<Record<string, string>>) {
  const sent = body ? { headers: { ...headers, ...JSON_TYPE }, body: JSON.stringify(body) } : { headers };
  const answer = await fetch(url, { method: 'POST', ...sent });
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}: ${await answer.text()}`);
  return answer;
}
