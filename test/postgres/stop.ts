import { once } from 'node:events';
import { rmSync } from 'node:fs';
import type { TestServer } from './start';

/** Stops the Postgres of the test run and removes what it wrote. */
export default async function stop(): Promise<void> {
  const { ledgerlineTestServer: server } = globalThis as { ledgerlineTestServer?: TestServer };
  if (!server) return;
  const gone = once(server.process, 'exit');
  server.process.kill('SIGINT');
  await gone;
  rmSync(server.folder, { recursive: true, force: true });
}
