import { rmSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { VERSION } from '@ledgerline/contracts/version';
import { CATALOGUE } from '../../apps/api/src/query/types/catalogue';
import { backup } from '../../scripts/backup/backup-command';
import { created } from '../access/cast';
import { ask } from '../api/ask';
import { newKey, ownerWithWebsite, PASSWORD } from '../api/people';
import { startTestApi, type TestApi } from '../api/test-api';
import { linkClicked } from '../events/observed-events';
import { traffic } from '../oracle/random-traffic';
import { createTestDatabase, type TestDatabase } from '../postgres/test-database';
import { projectInto, type DirectProjector } from '../query/projected-database';
import { waitUntil } from '../wait-until';
import {
  ANSWERS,
  answersOf,
  contextOf,
  FOLDER,
  KEYS,
  readRecorded,
  type Recorded,
  restoreInstallation,
  SECRETS,
} from './installation-of-1.0.0';

/**
 * The types that are recorded: all that need no options, but those of the last minutes; `UPDATE_INSTALLATION=1` writes
 * it anew.
 */
const TYPES = CATALOGUE.filter(
  ({ name, takes, about }) => about === 'website' && takes.options.length === 0 && !name.startsWith('realtime_'),
).map(({ name }) => name);

it('is taken over: the same answers, a history that is whole, and people and keys that may go on', async () => {
  if (process.env['UPDATE_INSTALLATION'] !== undefined) await write();
  const recorded = readRecorded();
  await restoreInstallation(database.url);
  await withApi(database.url, async (api) => {
    expect(await answersOf(queryOf(api), recorded)).toEqual(recorded.answers);
    const headers = { 'x-api-key': recorded.key };
    const verified = await ask(api, `GET /v1/audit-log/verify?organizationId=${recorded.organizationId}`, { headers });
    // the restore is recorded, and no projector has signed it here
    expect(verified.body).toMatchObject({ valid: true, unsealed: 1 });
    const signedIn = await ask(api, 'POST /v1/auth/sign-in/email', {
      body: { email: recorded.email, password: PASSWORD },
    });
    expect(signedIn.status).toBe(200);
    const more = { organizationId: recorded.organizationId, name: 'More', targetUrl: 'https://example.com/more' };
    expect((await ask(api, 'POST /v1/links', { headers, body: more })).status).toBe(201);
  });
}, 120_000);

let database: TestDatabase;
beforeEach(async () => void (database = await createTestDatabase({ migrated: false })));
afterEach(() => database.drop());

/** With everything projected that is in its logs. */
async function withApi<T>(
  url: string | undefined,
  work: (api: TestApi, projector: DirectProjector) => Promise<T>,
): Promise<T> {
  const { AUDIT_SIGNING_KEY, KEY_PEPPER } = SECRETS;
  const limits = { LIMIT_QUERY_PER_MINUTE: '10000' };
  const api = await startTestApi({
    ...limits,
    AUDIT_SIGNING_KEY,
    KEY_PEPPER,
    ...(url === undefined ? {} : { DATABASE_URL: url }),
  });
  const projector = await projectInto(api.settings.databaseUrl, []);
  try {
    await projector.catchUp();
    return await work(api, projector);
  } finally {
    await projector.close();
    await api.close();
  }
}

const queryOf = (api: TestApi) => async (target: string, key: string, body: object) => {
  const answer = await ask(api, `POST /v1/query?${target}`, { headers: { 'x-api-key': key }, body });
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.body.data as readonly { parameter: string; data: unknown }[];
};

async function write(): Promise<void> {
  if (!VERSION.startsWith('1.0.')) throw new Error('Only 1.0 writes an installation of 1.0.0.');
  await withApi(undefined, async (api, projector) => {
    const owner = await ownerWithWebsite(api);
    const { organizationId, websiteId, email, headers } = owner;
    const define = (kind: string, body: object) =>
      created(api, `POST /v1/${kind}`, { organizationId, name: 'Views', ...body }, headers);
    const condition = { kind: 'page' };
    await define('goals', { websiteId, condition });
    await define('funnels', { websiteId, steps: [{ condition }, { condition }] });
    await define('tags', {});
    const linkId = await define('links', { targetUrl: 'https://example.com/' });
    const key = await newKey(api, owner, { scopes: ['read:data', 'write:data', 'read:audit'] });
    const samples = fc.sample(traffic, { seed: 1, numRuns: 40 });
    const usable = samples.filter(({ start }) => start >= '2026-03' && start < '2026-07').slice(0, 8);
    const site = { websiteId, organizationId, zone: 'Europe/Berlin' };
    for (const [nth, { events }] of usable.entries())
      await projector.send(
        websiteId,
        events(site).map((event) => ({ ...event, id: event.id.slice(0, -1) + String(nth) })),
      );
    await projector.send(
      linkId,
      Array.from({ length: 20 }, (_, n) => linkClicked(Date.parse('2026-04-01') + n * 3_600_000, { linkId })),
    );
    await projector.catchUp();
    const recorded = { organizationId, websiteId, linkId, email, key };
    const whole: Recorded = { ...recorded, answers: await answersOf(queryOf(api), recorded, TYPES) };
    for (const path of [FOLDER, KEYS, ANSWERS]) rmSync(path, { recursive: true, force: true });
    writeFileSync(ANSWERS, gzipSync(JSON.stringify(whole)));
    await api.signHeads();
    await waitUntil(async () => {
      const { body } = await ask(api, `GET /v1/audit-log/verify?organizationId=${organizationId}`, { headers });
      return body.unsealed === 0;
    });
    await backup([FOLDER, '--with-keys', KEYS], contextOf(api.settings.databaseUrl));
  });
}
