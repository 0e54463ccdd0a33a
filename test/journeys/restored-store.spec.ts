import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Pool } from 'pg';
import { openEventStore } from '@ledgerline/engines/event-store.factory';
import { createLogger } from '@ledgerline/platform/logging/logger';
import { LiveRegistry, RegistryRebuilt } from '@ledgerline/platform/registry/live-registry';
import { createApp } from '../../apps/api/src/create-app';
import { ProjectorModule } from '../../apps/projector/src/projector.module';
import { projections } from '../../scripts/projections/projections';
import { ask, type Answer } from '../api/ask';
import { readAuditLog } from '../api/audit-log';
import { ownerWithWebsite, type Owner } from '../api/people';
import { startTestApi, type TestApi } from '../api/test-api';
import { copyEvents } from '../event-store/copy-tables';
import { EventStoreDbDouble } from '../event-store/eventstoredb-double/eventstoredb-double';
import { event, freshStream } from '../event-store/laws/harness';
import { freePort } from '../network/free-port';
import { waitUntil } from '../wait-until';

const LINKS = 60;
/** Acknowledged after the copy was made. */
const LOST = 8;
const SENTENCE = /^The event store is not the one that was read: .* npm run projections -- rebuild registry --accept$/;

describe.each(['eventstoredb', 'postgres'] as const)('an older copy of the event store on %s is restored', (kind) => {
  it('commands are refused at once, also as new events pass the old position and after restarts, and the rest goes on', async () => {
    const created = await createLinks(LINKS - LOST);
    const [deleted] = created;
    const restore = await copyStore();
    created.push(...(await createLinks(LOST)));
    expect((await ask(api, `DELETE /v1/links/${deleted!}`, owner)).status).toBeLessThan(300);
    await waitUntil(storedLinks, (count) => count === LINKS - 1);

    await restore();
    await refused();
    await waitUntil(stopped, (why) => why !== null && SENTENCE.test(why));
    await appendForeign(2 * LINKS);
    expectRefusal(await createLink(api, 'passed'));
    expectRefusal(await ask(api, `PATCH /v1/links/${created.at(-1)!}`, { body: { name: 'x' }, ...owner }));
    expect((await ask(api, `GET /v1/links/${created[1]!}`, owner)).status).toBe(200);

    await projector.close();
    projector = await startProjector();
    other = await startOther();
    expectRefusal(await createLink(other, 'other'));
    expect((await ask(other, `GET /v1/links/${created[1]!}`, owner)).status).toBe(200);
    await appendForeign(5);
    expect(await stopped()).toMatch(SENTENCE);
    expect(await storedLinks()).toBe(LINKS - 1);
  });

  it('an operator decides to go on with it, which the audit log shows, and all tables are as the log is', async () => {
    await projections(['rebuild', 'registry', '--accept'], variables());
    await expect(api.app.get(LiveRegistry).ended).rejects.toThrow(RegistryRebuilt);
    const reloaded = await startOther();
    try {
      expect(await waitUntil(storedLinks, (count) => count === LINKS - LOST + accepted)).toBe(LINKS - LOST + accepted);
      expect((await createLink(reloaded, 'after')).status).toBe(201);
      await waitUntil(storedLinks, (count) => count === LINKS - LOST + accepted + 1);
      expect(await stopped()).toBeNull();
      const [replaced] = await readAuditLog(reloaded, owner, { action: 'read_models.replaced' });
      expect(replaced).toMatchObject({ actor: { type: 'system' } });
      await projections(['verify', 'registry'], variables());
      expect(process.exitCode ?? 0).toBe(0);
    } finally {
      await reloaded.app.close();
    }
  });

  const expectRefusal = ({ status, body }: Answer) => {
    expect({ status, error: body.error }).toEqual({ status: 503, error: expect.stringMatching(SENTENCE) as string });
  };

  /** A store is replaced under a running process within moments here: what is accepted before the next check is counted. */
  async function refused(): Promise<void> {
    const look = () => createLink(api, `link-${slugs++}`);
    const isRefused = ({ status, body }: Answer) => {
      if (status === 201) accepted += 1;
      return SENTENCE.test(String(body.error));
    };
    expectRefusal(await waitUntil(look, isRefused));
  }

  const createLink = (at: TestApi, slug: string) =>
    ask(at, 'POST /v1/links', {
      body: { organizationId: owner.organizationId, name: slug, slug, targetUrl: 'https://example.com' },
      headers: owner.headers,
    });

  async function createLinks(count: number): Promise<string[]> {
    const ids: string[] = [];
    for (let n = 0; n < count; n += 1) {
      const { status, body, text } = await createLink(api, `link-${slugs++}`);
      if (status !== 201) throw new Error(text);
      ids.push(body.id as string);
    }
    return ids;
  }

  /** By a client that reads nothing. */
  async function appendForeign(count: number): Promise<void> {
    const store = await openEventStore(api.settings);
    for (let n = 0; n < count; n += 1) await store.append(freshStream(), 'no-stream', [event({ n })]);
    await store.close();
  }

  async function copyStore(): Promise<() => Promise<void>> {
    if (double) {
      const copy = double.log.copy();
      return () => Promise.resolve(double?.restore(copy));
    }
    await copyEvents(pool, 'public', 'older_copy');
    return () => copyEvents(pool, 'older_copy', 'public');
  }

  const stopped = async (): Promise<string | null> =>
    (
      await pool.query<{ stopped: string | null }>(
        `select stopped from projection_checkpoints join projection_groups on name = projection_group and version = live_version
         where name = 'registry'`,
      )
    ).rows[0]?.stopped ?? null;

  async function storedLinks(): Promise<number> {
    const { rows } = await pool.query<{ version: number }>(
      "select live_version as version from projection_groups where name = 'registry'",
    );
    const found = await pool.query<{ count: number }>(
      `select count(*)::integer as count from registry_v${rows[0]?.version ?? 1}.links`,
    );
    return found.rows[0]?.count ?? 0;
  }

  const variables = (): NodeJS.ProcessEnv => ({
    DATABASE_URL: api.settings.databaseUrl,
    ...(double ? { EVENT_STORE: 'eventstoredb', EVENTSTORE_URL: double.url } : {}),
  });

  const startProjector = () =>
    NestFactory.createApplicationContext(ProjectorModule.with(api.settings, createLogger('projector', 'silent')), {
      logger: false,
    });

  /** Another api on the same stores. */
  async function startOther(): Promise<TestApi> {
    const app = await createApp(api.settings, createLogger('api', 'silent'));
    await app.listen(0, '127.0.0.1');
    return { ...api, app, close: () => app.close() };
  }

  let double: EventStoreDbDouble | undefined;
  let api: TestApi;
  let other: TestApi | undefined;
  let projector: INestApplicationContext;
  let pool: Pool;
  let owner: Owner;
  let slugs = 0;
  let accepted = 0;

  beforeAll(async () => {
    double = kind === 'eventstoredb' ? await EventStoreDbDouble.start() : undefined;
    const store: Record<string, string> = double ? { EVENT_STORE: kind, EVENTSTORE_URL: double.url } : {};
    const limits = { LIMIT_PUBLIC_PER_MINUTE: '100000', LIMIT_API_PER_MINUTE: '100000' };
    api = await startTestApi({ ...store, PROJECTOR_METRICS_PORT: String(await freePort()), ...limits });
    pool = new Pool({ connectionString: api.settings.databaseUrl });
    projector = await startProjector();
    owner = await ownerWithWebsite(api);
  });
  afterAll(async () => {
    await projector.close();
    await other?.app.close();
    await pool.end();
    await api.close();
    double?.stop();
  });
});
