import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { ApiKeyDetails } from '@ledgerline/contracts/events/api-key.events';
import type { DecidedEvent } from '@ledgerline/contracts/events/event-versions';
import type { LinkDetails } from '@ledgerline/contracts/events/link.events';
import type { ObservedEvent } from '@ledgerline/contracts/events/observed-events';
import type { WebsiteDetails } from '@ledgerline/contracts/events/organization.events';
import type { JsonObject } from '@ledgerline/contracts/json';
import { plainKey } from '@ledgerline/domain/api-keys/api-key.decider';
import { plainLink } from '@ledgerline/domain/links/link.decider';
import { openEventStore } from '@ledgerline/engines/event-store.factory';
import { ApiKeySecret, newSecret, secretStart, SecretStore } from '@ledgerline/platform/api-keys/secret-store';
import { loadSettings, type Settings } from '@ledgerline/platform/config/settings';
import { openDataSource } from '@ledgerline/platform/database/data-source';
import type { EventStore, ExpectedRevision } from '@ledgerline/platform/event-store/event-store';
import type { HttpHostOptions } from '@ledgerline/platform/http/host-adapter';
import type { IntakeLog } from '@ledgerline/platform/intake-log/intake-log';
import { openIntakeLog } from '@ledgerline/platform/intake-log/postgres-intake-log';
import { createLogger } from '@ledgerline/platform/logging/logger';
import { createTracker } from '../../apps/tracker/src/create-tracker';
import { createTestDatabase } from '../postgres/test-database';
import { allOf } from './all-of';

/** A tracker on a database of its own, and a hand in both logs. */
export interface RunningTracker {
  readonly app: NestFastifyApplication;
  /** Every line written to the log so far. */
  readonly lines: readonly string[];
  readonly settings: Settings;
  readonly store: EventStore;
  readonly log: IntakeLog;
  /** Everything the intake log holds, in the order of each partition. */
  recorded(): Promise<ObservedEvent[]>;
  registerWebsite(id: string, details?: Partial<WebsiteDetails>): Promise<void>;
  deleteWebsite(id: string): Promise<void>;
  createLink(id: string, details: Partial<LinkDetails> & { slug: string }): Promise<void>;
  /** Answers the secret. */
  createKey(id: string, details?: Partial<ApiKeyDetails>): Promise<string>;
  stop(): Promise<void>;
}

const PEPPER = 'a pepper for tests and nothing else than tests';

export async function startTracker(
  variables: Readonly<Record<string, string>> = {},
  host: Pick<HttpHostOptions, 'requestTimeoutMs'> = {},
): Promise<RunningTracker> {
  const database = await createTestDatabase();
  const dataDir = await mkdtemp(join(tmpdir(), 'ledgerline-tracker-'));
  const settings = loadSettings({
    DATABASE_URL: database.url,
    DATA_DIR: dataDir,
    AUTH_SECRET: PEPPER,
    KEY_PEPPER: PEPPER,
    AUDIT_SIGNING_KEY: String(generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' })),
    PUBLIC_TRACK_URL: 'https://go.example',
    LOG_LEVEL: 'fatal',
    ...variables,
  });
  const store = await openEventStore({ databaseUrl: settings.databaseUrl });
  const lines: string[] = [];
  const app = await createTracker(
    settings,
    createLogger('tracker', settings.logLevel, { write: (line) => lines.push(line) }),
    host,
  );

  await app.init();
  await app.getHttpAdapter().getInstance().ready();
  const log = await openIntakeLog({ databaseUrl: settings.databaseUrl });
  return {
    app,
    lines,
    settings,
    store,
    log,
    recorded: () => allOf(log),
    registerWebsite: (websiteId, details) =>
      append(store, 'website', websiteId, { type: 'WebsiteRegistered', data: { websiteId, ...WEBSITE, ...details } }),
    deleteWebsite: (websiteId) =>
      append(
        store,
        'website',
        websiteId,
        { type: 'WebsiteDeleted', data: { websiteId, organizationId: ORGANIZATION, name: 'Shop' } },
        0,
      ),
    createLink: (linkId, details) => createLink(store, linkId, details),
    createKey: (keyId, details) => createKey(store, settings.databaseUrl, keyId, details),
    stop: async () => {
      await app.close();
      await log.close();
      await store.close();
      await database.drop();
      await rm(dataDir, { recursive: true });
    },
  };
}

const ORGANIZATION = 'org_1';

const WEBSITE: WebsiteDetails = {
  organizationId: ORGANIZATION,
  name: 'Shop',
  domain: 'example.com',
  isPublic: false,
  allowedOrigins: ['partner.org'],
  timezone: 'Europe/Berlin',
  visitorIdentity: 'daily',
  retentionDays: null,
};

async function append(
  store: EventStore,
  kind: string,
  id: string,
  event: DecidedEvent,
  revision: ExpectedRevision = 'no-stream',
) {
  const data = event.data as unknown as JsonObject; // events are plain data
  const { organizationId } = event.data;
  const stream = kind === 'slug' ? `global-slug-${id}` : `${organizationId}-${kind}-${id}`;
  await store.append(stream, revision, [{ id: randomUUID(), type: event.type, data, metadata: {} }]);
}

async function createLink(store: EventStore, linkId: string, details: Partial<LinkDetails> & { slug: string }) {
  const { slug } = details;
  const link = {
    organizationId: ORGANIZATION,
    name: 'Spring sale',
    targetUrl: 'https://example.com/sale',
    ...plainLink,
    ...details,
  };
  const { organizationId } = link;
  await append(store, 'slug', slug, { type: 'SlugReserved', data: { slug, linkId, organizationId } });
  await append(store, 'link', linkId, { type: 'LinkCreated', data: { linkId, createdBy: 'usr_1', ...link } });
}

async function createKey(store: EventStore, url: string, keyId: string, details: Partial<ApiKeyDetails> = {}) {
  const secret = newSecret();
  const secretId = randomUUID();
  const source = await openDataSource({ url, name: 'spec', max: 1, entities: [ApiKeySecret] });
  await new SecretStore(source, PEPPER).add(secret, { keyId, secretId });
  await source.destroy();
  const key = {
    organizationId: ORGANIZATION,
    name: 'Server',
    ...plainKey,
    scopes: ['track:events'] as const,
    ...details,
  };
  await append(store, 'key', keyId, {
    type: 'ApiKeyCreated',
    data: { keyId, secretId, start: secretStart(secret), ...key },
  });
  return secret;
}
