import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { DestinationStream } from 'pino';
import { loadSettings, type Settings } from '@ledgerline/platform/config/settings';
import type { HttpHostOptions } from '@ledgerline/platform/http/host-adapter';
import { createLogger } from '@ledgerline/platform/logging/logger';
import { createApp } from '../../apps/api/src/create-app';
import { Favicons } from '../../apps/api/src/websites/favicons';
import { openSigning } from '../event-store/sign-heads';
import { createTestDatabase } from '../postgres/test-database';
import { watchResponses } from './watch-responses';

/** An api on a database and a data directory of its own, listening on a free port of loopback. */
export interface TestApi {
  readonly app: NestFastifyApplication;
  readonly settings: Settings;
  /** Every line written to the log so far. */
  readonly log: readonly string[];
  /** From now on the heads of the hash chains are signed, as a projector does. */
  signHeads(): Promise<void>;
  /** @throws Error when a response was not as /openapi.json describes it */
  close(): Promise<void>;
}

export async function startTestApi(
  variables: Readonly<Record<string, string>> = {},
  host: Pick<HttpHostOptions, 'requestTimeoutMs'> = {},
  port = 0,
): Promise<TestApi> {
  const database = await createTestDatabase();
  const dataDir = await mkdtemp(join(tmpdir(), 'ledgerline-api-'));
  const settings = loadSettings({ ...BASE, DATABASE_URL: database.url, DATA_DIR: dataDir, ...variables });
  const log: string[] = [];
  const collect: DestinationStream = { write: (line) => log.push(line) };
  const app = await createApp(settings, createLogger('api', settings.logLevel, collect), host);
  app.get(Favicons).guard = { resolve: () => Promise.resolve([]) }; // no spec depends on the internet
  const responses = watchResponses(app);
  await app.listen(port, '127.0.0.1');
  let stopSigning = () => Promise.resolve();
  const signHeads = async () => {
    const { signing, close } = await openSigning(database.url, { key: settings.auditSigningKey });
    signing.start();
    stopSigning = close;
  };
  const close = async () => {
    await stopSigning();
    await app.close();
    await database.drop();
    await rm(dataDir, { recursive: true });
    responses.assertAsDocumented();
  };
  return { app, settings, log, signHeads, close };
}

const { privateKey } = generateKeyPairSync('ed25519');

const BASE = {
  AUTH_SECRET: 'a secret for tests that is long enough 0123456789',
  KEY_PEPPER: 'a pepper for tests that is long enough 0123456789',
  AUDIT_SIGNING_KEY: privateKey.export({ format: 'pem', type: 'pkcs8' }) as string,
  PUBLIC_API_URL: 'http://localhost:3000',
  LOG_LEVEL: 'debug',
  SIGN_UP: 'open',
};
