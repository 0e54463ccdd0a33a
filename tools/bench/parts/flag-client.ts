import type { Registered } from '../installation/register';

/** Twenty values of a rule, none of which a random person has. */
const VALUES = Array.from({ length: 20 }, (_, n) => `tester-${n}@example.com`);

/** Creates and changes flags over HTTP. */
export class FlagClient {
  readonly websiteId: string;
  private readonly headers: Readonly<Record<string, string>>;
  private readonly organizationId: string;

  constructor(
    private readonly url: string,
    { subjects, apiKey }: Registered,
  ) {
    this.websiteId = subjects[0].websiteId;
    this.organizationId = subjects[0].organizationId;
    this.headers = { 'x-api-key': apiKey, 'content-type': 'application/json' };
  }

  /** `flag-1` and so on: each with two rules; rollouts to a half, and every fourth with three variants. */
  async createFlags(flags: number): Promise<void> {
    for (let n = 1; n <= flags; n++) {
      const kind = n % 4 === 0 ? VARIANTS : ROLLOUT;
      await this.create({ key: `flag-${n}`, ...kind, rules: RULES, payload: { release: n } });
    }
  }

  /** The id of the flag. */
  async create(flag: object): Promise<string> {
    const { organizationId, websiteId } = this;
    const created = await this.send('POST', '/v1/flags', { organizationId, websiteId, name: 'Bench', ...flag });
    return created.id as string;
  }

  async change(id: string, changes: object): Promise<void> {
    await this.send('PATCH', `/v1/flags/${id}`, changes);
  }

  private async send(method: string, path: string, body: object): Promise<Readonly<Record<string, unknown>>> {
    const answer = await fetch(this.url + path, { method, headers: this.headers, body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${await answer.text()}`);
    return (await answer.json()) as Readonly<Record<string, unknown>>;
  }
}

const RULES = [
  { attribute: 'email', operator: 'in', values: VALUES, enabled: true },
  { attribute: 'userId', operator: 'in', values: VALUES, enabled: false },
];

const ROLLOUT = { type: 'rollout', rollout: { percentage: 50, by: 'user' } };

const VARIANTS = {
  type: 'multivariant',
  variants: ['red', 'green', 'blue'].map((key, n) => ({ key, value: key, weight: n + 1 })),
};
