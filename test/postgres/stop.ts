import { once } from 'node:events';
import { rmSync } from 'node:fs';
import type { TestServer } from './start';
import { dropTemplate } from './test-database';

/** Drops the template, stops the Postgres of the test run and removes its files. */
export default async function stop(): Promise<void> {
  await dropTemplate();
  const { ledgerlineTestServer: server } = globalThis as { ledgerlineTestServer?: TestServer };
  if (!server) return;
  const gone = once(server.process, 'exit');
  server.process.kill('SIGINT');
  await gone;
  rmSync(server.folder, { recursive: true, force: true });
}
