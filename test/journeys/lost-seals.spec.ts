import { randomUUID } from 'node:crypto';
import { PassThrough } from 'node:stream';
import { EventStoreDBClient } from '@eventstore/db-client';
import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { createLogger } from '@ledgerline/platform/logging/logger';
import { ProjectorModule } from '../../apps/projector/src/projector.module';
import { audit } from '../../scripts/audit/audit';
import { ask } from '../api/ask';
import { readAuditLog } from '../api/audit-log';
import { newKey, ownerWithWebsite, type Owner } from '../api/people';
import { startTestApi, type TestApi } from '../api/test-api';
import { EventStoreDbDouble } from '../event-store/eventstoredb-double/eventstoredb-double';
import { freePort } from '../network/free-port';
import { waitUntil } from '../wait-until';

const MISSING = 'Its seals are missing; places 0 to 4 were sealed.';

/** Api and projector on a double of EventStoreDB that somebody else may write to, in this order. */
describe('an organization whose seals somebody deletes', () => {
  it('is valid before, but for an event that nobody recorded: it names a real key, and is marked', async () => {
    const keyId = await waitUntil(keyOf, (id) => id !== undefined);
    const metadata = { metadata: { actor: keyId, actorType: 'api_key', actorName: 'Deploy' } }; // as the first events had it
    const event = { id: randomUUID(), type: 'WebsiteDeleted', contentType: 'application/json' };
    const data = { websiteId: 'site_forged', organizationId: owner.organizationId, name: 'Shop' };
    double.log.append(`${owner.organizationId}-website-site_forged`, -1, [
      { ...event, data: Buffer.from(JSON.stringify(data)), metadata: Buffer.from(JSON.stringify(metadata)) },
    ]);
    await rename('Store');
    const verdict = await waitUntil(verify, ({ unsealed }) => unsealed === 0);
    expect(verdict).toMatchObject({ valid: true, events: 5 });
    const [, forged, ...others] = await readAuditLog(api, owner);
    expect(forged).toMatchObject({ action: 'website.deleted', actor: { name: 'Deploy' }, proof: 'unproven' });
    expect(new Set(others.map(({ proof }) => proof))).toEqual(new Set(['sealed']));
  });

  it('is not valid after it, and named by health, which is ready for the others', async () => {
    await projector.close();
    await driver.deleteStream(`ledgerline-seals_${owner.organizationId}`);
    expect(await verify()).toMatchObject({ valid: false, events: 0, head: { revision: 4 }, signature: null });
    projector = await startProjector();
    await rename('Shop');
    const { status, body } = await waitUntil(
      () => ask(api, 'GET /health/ready'),
      ({ text, status: now }) => now === 200 && text.includes(MISSING), // a check may have read half of them
    );
    expect([status, body.status]).toEqual([200, 'degraded']);
    expect(body.sealing).toEqual([
      {
        organization: owner.organizationId,
        reason: MISSING,
        since: expect.any(String) as string,
      },
    ]);
    const other = await ownerWithWebsite(api);
    await waitUntil(
      () => verify(other),
      ({ valid, events }) => valid === true && events === 2,
    );
    expect(await verify()).toMatchObject({ valid: false, unsealed: 6, firstInvalid: { finding: 'unsealed' } });
  });

  it('is valid again once an operator has decided so, which the audit log shows', async () => {
    expect(await reseal('Disk 3 was restored.')).toContain('Places 0 to 6');
    expect(await waitUntil(verify, ({ valid }) => valid === true)).toMatchObject({ events: 7, unsealed: 0 });
    const [resealed] = await readAuditLog(api, owner);
    expect(resealed).toMatchObject({
      action: 'audit_log.resealed',
      actor: { type: 'system' },
      changes: { reason: { after: 'Disk 3 was restored.' }, head: { before: { revision: 4 } } },
      proof: 'sealed',
    });
    await waitUntil(
      () => ask(api, 'GET /health/ready'),
      ({ body }) => !('sealing' in body),
    );
  });
});

const verify = async ({ organizationId, headers }: Owner = owner) =>
  (await ask(api, `GET /v1/audit-log/verify?organizationId=${organizationId}`, { headers })).body;

const keyOf = async () =>
  (await readAuditLog(api, owner, { action: 'api_key.created' })).map(({ target }) => target.id)[0] ?? undefined;

async function rename(name: string): Promise<void> {
  const { status } = await ask(api, `PATCH /v1/websites/${owner.websiteId}`, { body: { name }, ...owner });
  expect(status).toBe(200);
}

async function reseal(reason: string): Promise<string> {
  const output = new PassThrough({ encoding: 'utf8' });
  const { databaseUrl, eventStoreUrl, auditSigningKey: signingKey } = api.settings;
  const installation = { databaseUrl, eventStoreUrl, signingKey, isRunning: true, close: () => Promise.resolve() };
  const args = ['reseal', '--organization', owner.organizationId, '--reason', reason];
  await audit(args, { open: () => Promise.resolve(installation), output });
  return String(output.read());
}

const startProjector = () =>
  NestFactory.createApplicationContext(ProjectorModule.with(api.settings, createLogger('projector', 'fatal')), {
    logger: false,
  });

let double: EventStoreDbDouble;
let driver: EventStoreDBClient;
let api: TestApi;
let projector: INestApplicationContext;
let owner: Owner;

beforeAll(async () => {
  double = await EventStoreDbDouble.start();
  driver = EventStoreDBClient.connectionString(double.url);
  const store = { EVENT_STORE: 'eventstoredb', EVENTSTORE_URL: double.url };
  const limits = { LIMIT_PUBLIC_PER_MINUTE: '100000', LIMIT_API_PER_MINUTE: '100000' };
  api = await startTestApi({ ...store, PROJECTOR_METRICS_PORT: String(await freePort()), ...limits });
  projector = await startProjector();
  owner = await ownerWithWebsite(api);
  await newKey(api, owner, { name: 'Deploy', scopes: ['write:data'] });
});
afterAll(async () => {
  await projector.close();
  await api.close();
  await driver.dispose();
  double.stop();
});
