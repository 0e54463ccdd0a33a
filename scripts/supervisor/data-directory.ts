import { StartFailure } from '@ledgerline/platform/config/start-failure';
import { accessSync, chmodSync, constants, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Creates the data directory if it is missing, with permissions that protect its secrets from other users. */
export function openDataDirectory(dataDir: string): void {
  try {
    const isNew = mkdirSync(dataDir, { recursive: true }) !== undefined;
    if (process.getuid?.() === 0) {
      chmodSync(dataDir, isNew ? 0o711 : statSync(dataDir).mode | 0o711); // the user of Postgres must be able to enter
    } else if (isNew) {
      chmodSync(dataDir, 0o700);
    }
    mkdirSync(join(dataDir, 'logs'), { recursive: true, mode: 0o700 });
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException;
    throw new StartFailure(`The data directory ${dataDir} cannot be used (${code}); set DATA_DIR to another one.`);
  }
}
