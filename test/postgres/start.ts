import { TestServer } from './server';
import { createTemplate } from './test-database';

/**
 * Starts one temporary Postgres for the whole test run (or takes the one TEST_DATABASE_URL names) and migrates the
 * template of the spec files' databases.
 */
export default async function start(): Promise<void> {
  if (!process.env.TEST_DATABASE_URL) {
    const ledgerlineTestServer = await TestServer.start();
    process.env.TEST_DATABASE_URL = ledgerlineTestServer.url;
    Object.assign(globalThis, { ledgerlineTestServer });
  }
  process.env.TEST_DATABASE_TEMPLATE = await createTemplate();
}
