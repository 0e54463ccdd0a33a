import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writePrivately } from '@ledgerline/platform/config/private-file';
import { StartFailure } from '@ledgerline/platform/config/start-failure';

/** The generated secrets of an installation with the embedded database, in `<data dir>/secrets.json` (mode 600). */
export interface Secrets {
  readonly postgresPassword: string;
  readonly authSecret: string;
  readonly keyPepper: string;
  /** Base64 of the PKCS#8 form of an Ed25519 private key. */
  readonly auditSigningKey: string;
}

export const newSecrets = (): Secrets => ({
  postgresPassword: randomBytes(24).toString('hex'),
  authSecret: randomBytes(32).toString('base64url'),
  keyPepper: randomBytes(32).toString('base64url'),
  auditSigningKey: generateKeyPairSync('ed25519')
    .privateKey.export({ format: 'der', type: 'pkcs8' })
    .toString('base64'),
});

export const secretsFile = (dataDir: string): string => join(dataDir, 'secrets.json');

/** The secrets of a data directory; generated at the first start, and completed after an upgrade that needs more. */
export function loadSecrets(dataDir: string): Secrets {
  const file = secretsFile(dataDir);
  const kept = existsSync(file) ? parse(file) : {};
  const secrets = { ...newSecrets(), ...kept };
  if (Object.keys(kept).length < Object.keys(secrets).length) writePrivately(file, secrets);
  return secrets;
}

function parse(file: string): Partial<Secrets> {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Partial<Secrets>;
  } catch (error) {
    throw new StartFailure(`${file} cannot be read (${error instanceof Error ? error.message : 'unknown error'}).`);
  }
}
