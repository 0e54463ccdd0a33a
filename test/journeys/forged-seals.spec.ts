import { createPublicKey } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { EventStoreDBClient } from '@eventstore/db-client';
import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { Pool } from 'pg';
import { RECORD_KINDS } from '@ledgerline/contracts/record-kinds';
import { openPool } from '@ledgerline/platform/database/pool';
import type { EventStore } from '@ledgerline/platform/event-store/event-store';
import { createLogger } from '@ledgerline/platform/logging/logger';
import { createApp } from '../../apps/api/src/create-app';
import { EVENT_STORE } from '../../apps/api/src/tokens';
import { ProjectorModule } from '../../apps/projector/src/projector.module';
import { audit } from '../../scripts/audit/audit';
import { pemOf } from '../../scripts/audit/kept-proofs';
import { ask } from '../api/ask';
import { askReady } from '../api/ask-ready';
import { exportPath, ok } from '../api/every-change';
import { ownerWithWebsite, type Owner } from '../api/people';
import { startTestApi, type TestApi } from '../api/test-api';
import { EventStoreDbDouble } from '../event-store/eventstoredb-double/eventstoredb-double';
import { Forger, sealsOf } from '../event-store/eventstoredb-double/forge-history';
import { freePort } from '../network/free-port';
import { waitUntil } from '../wait-until';

/** The reasons, of which the moment decides which is found first. */
const REASONS: readonly (string | undefined)[] = [
  'Its seals are others than those that were made: place 3 has another hash.',
  'Its newest seal is not signed with a key of this installation.',
];

/** Api and projector on a double of EventStoreDB; something else may write to it and to Postgres, and lacks the key. */
describe('a history that is rewritten in EventStoreDB, with forged seals and rows in Postgres', () => {
  it.each(['running', 'restarted'] as const)('is named, and nothing is signed on top of it: %s', async (state) => {
    const owner = await ownerWithWebsite(api);
    const { organizationId } = owner;
    const stream = await linkOf(owner);
    const signed = (await waitUntil(() => verify(owner), isSealed)).head!;
    expect(signed.revision).toBe(3);
    if (state === 'restarted') await projector.close();
    const forger = new Forger({ double, driver, store: api.app.get<EventStore>(EVENT_STORE), database: pool });
    await forger.rewrite(stream);
    await forger.seal(organizationId);
    const seals = () => double.log.of(sealsOf(organizationId)).length;
    const forged = seals();
    const [fresh, close] = state === 'restarted' ? await restarted() : [api, () => Promise.resolve()];

    await ok(api, `PATCH /v1/websites/${owner.websiteId}`, { body: { name: 'Store' }, ...owner });
    await waitUntil(
      () => sealingOf(fresh),
      (found) => REASONS.includes(found[organizationId]),
    );
    await ok(api, `PATCH /v1/websites/${other.websiteId}`, { body: { name: `Shop ${state}` }, ...other });
    await waitUntil(() => verify(other), isSealed); // in the same round, or one after it
    expect(seals()).toBe(forged);
    expect(await statedHeadOf(owner)).toEqual(signed);
    const verdict = await verify(owner, fresh);
    expect(verdict).toMatchObject({ valid: false, signature: null, head: signed });
    expect(REASONS).toContain(verdict.fault);
    await withoutFaults(async () => {
      await waitUntil(
        () => sealingOf(fresh),
        (found) => REASONS.includes(found[organizationId]),
      );
    });
    expect(await codeOfExport(owner)).toBe(2);
    await close();
  });
});

interface Verdict {
  readonly valid: boolean;
  readonly unsealed: number;
  readonly head: { readonly revision: number; readonly hash: string } | null;
  readonly fault?: string;
}

const isSealed = ({ valid, unsealed, head }: Verdict) => valid && unsealed === 0 && head !== null;

const verify = async ({ organizationId, headers }: Owner, from = api) =>
  (await ask(from, `GET /v1/audit-log/verify?organizationId=${organizationId}`, { headers }))
    .body as unknown as Verdict; // as the OpenAPI document declares it

async function statedHeadOf({ organizationId }: Owner) {
  const { rows } = await pool.query<{ revision: number; hash: string }>(
    `select (head ->> 'revision')::float8 as revision, head ->> 'hash' as hash
     from head_statements, jsonb_array_elements(heads) head
     where head ->> 'organization' = $1 order by number desc limit 1`,
    [organizationId],
  );
  return rows[0];
}

/** While the database denies what the projector has found. */
async function withoutFaults(work: () => Promise<void>): Promise<void> {
  await pool.query(
    'create or replace function swallow() returns trigger language plpgsql as $$ begin return null; end $$',
  );
  await pool.query('create trigger swallow before insert on sealing_faults for each row execute function swallow()');
  await pool.query('delete from sealing_faults');
  await work();
  await pool.query('drop trigger swallow on sealing_faults');
}

/** Returns what health says, by organization. */
async function sealingOf(from: TestApi): Promise<Record<string, string>> {
  const { sealing = [] } = (await askReady(from)).body as { sealing?: { organization: string; reason: string }[] };
  return Object.fromEntries(sealing.map(({ organization, reason }) => [organization, reason]));
}

/** The stream of a new link that was changed once. */
async function linkOf({ organizationId, headers }: Owner): Promise<string> {
  const body = { organizationId, name: 'Sale', targetUrl: 'https://example.com/' };
  const link = (await ok(api, 'POST /v1/links', { body, headers })).body.id as string;
  await ok(api, `PATCH /v1/links/${link}`, { body: { name: 'Spring' }, headers });
  return RECORD_KINDS.links.stream({ organizationId, id: link });
}

/** Returns what \`audit verify\` makes of an export, with the key of the installation. */
async function codeOfExport(owner: Owner): Promise<number> {
  const { text } = await ask(api, `GET ${exportPath(owner, 'ndjson')}`, owner);
  const file = join(folder, 'export.ndjson');
  const pem = join(folder, 'key.pem');
  writeFileSync(file, text);
  writeFileSync(pem, pemOf(createPublicKey(api.settings.auditSigningKey)));
  const open = () => Promise.reject(new Error('A file needs no installation.'));
  return audit(['verify', file, '--public-key', pem], { open, output: new PassThrough() });
}

/** A projector again, and an api that has not seen what was before. */
async function restarted(): Promise<[TestApi, () => Promise<void>]> {
  projector = await startProjector();
  const app = await createApp(api.settings, createLogger('api', 'fatal'));
  await app.listen(0, '127.0.0.1');
  return [{ ...api, app }, () => app.close()];
}

const startProjector = () =>
  NestFactory.createApplicationContext(ProjectorModule.with(api.settings, createLogger('projector', 'fatal')), {
    logger: false,
  });

let double: EventStoreDbDouble;
let driver: EventStoreDBClient;
let api: TestApi;
let pool: Pool;
let projector: INestApplicationContext;
let other: Owner;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ledgerline-forged-'));
  double = await EventStoreDbDouble.start();
  driver = EventStoreDBClient.connectionString(double.url);
  const store = { EVENT_STORE: 'eventstoredb', EVENTSTORE_URL: double.url };
  const limits = { LIMIT_PUBLIC_PER_MINUTE: '100000', LIMIT_API_PER_MINUTE: '100000' };
  api = await startTestApi({ ...store, PROJECTOR_METRICS_PORT: String(await freePort()), ...limits });
  pool = openPool({ url: api.settings.databaseUrl, name: 'spec', max: 2 });
  projector = await startProjector();
  other = await ownerWithWebsite(api);
});
afterAll(async () => {
  await projector.close();
  await pool.end();
  await api.close();
  await driver.dispose();
  double.stop();
  rmSync(folder, { recursive: true });
});
