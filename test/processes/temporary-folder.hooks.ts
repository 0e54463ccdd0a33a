import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const made: string[] = [];

/** An empty folder that is gone after the spec file that asked for it. */
export function temporaryFolder(name: string, mode = 0o700): string {
  const folder = mkdtempSync(join(tmpdir(), `ledgerline-${name}-`));
  made.push(folder);
  chmodSync(folder, mode);
  return folder;
}

afterAll(() => {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});
