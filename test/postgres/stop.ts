import type { TestServer } from './server';
import { dropTemplate } from './test-database';

/** Drops the template, stops the Postgres of the test run and removes its files. */
export default async function stop(): Promise<void> {
  await dropTemplate();
  const { ledgerlineTestServer: server } = globalThis as { ledgerlineTestServer?: TestServer };
  await server?.remove();
}
