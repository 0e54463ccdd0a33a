import { createCipheriv, createDecipheriv, randomBytes, scryptSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { writePrivately } from '@ledgerline/platform/config/private-file';
import { StartFailure } from '@ledgerline/platform/config/start-failure';
import type { Secrets } from '../supervisor/secrets';
import type { BackupTable } from './backup-tables';

/** A table with its rows, in the binary format of Postgres' `copy`. */
export interface CopiedTable extends BackupTable {
  readonly copied: Buffer;
}

/** The keys that a backup leaves out. */
interface Keys {
  /** The secrets of an installation with the embedded database; those of another are the operator's. */
  readonly secrets?: Omit<Secrets, 'postgresPassword'> | undefined;
  readonly tables: readonly CopiedTable[];
}

/** All but the encrypted text is in the clear; binary members are base64. */
interface Sealed {
  readonly format: 1;
  readonly salt: string;
  readonly iv: string;
  readonly tag: string;
  readonly text: string;
}

/** Each try of a passphrase costs 64 MB, and about a tenth of a second. */
const SCRYPT = { N: 2 ** 16, r: 8, p: 1, maxmem: 128 * 2 ** 20 };
const CIPHER = 'aes-256-gcm';
const SHORTEST = 12;

/** @throws StartFailure for one that is too short */
export function passphraseIn({ BACKUP_PASSPHRASE = '' }: Readonly<NodeJS.ProcessEnv>): string {
  if (BACKUP_PASSPHRASE.length < SHORTEST)
    throw new StartFailure(`BACKUP_PASSPHRASE encrypts the file of keys; set it to at least ${SHORTEST} characters.`);
  return BACKUP_PASSPHRASE;
}

export function writeKeys(file: string, passphrase: string, { secrets, tables }: Keys): void {
  const salt = randomBytes(16);
  const iv = randomBytes(12);
  const cipher = createCipheriv(CIPHER, scryptSync(passphrase, salt, 32, SCRYPT), iv);
  const plain = { secrets, tables: tables.map(({ copied, ...table }) => ({ ...table, copied: base64(copied) })) };
  const text = base64(Buffer.concat([cipher.update(JSON.stringify(plain)), cipher.final()]));
  const sealed: Sealed = { format: 1, salt: base64(salt), iv: base64(iv), tag: base64(cipher.getAuthTag()), text };
  writePrivately(file, sealed);
}

/** @throws StartFailure for another passphrase, and a file that was changed */
export function readKeys(file: string, passphrase: string): Keys {
  try {
    const { salt, iv, tag, text } = JSON.parse(readFileSync(file, 'utf8')) as Sealed;
    const decipher = createDecipheriv(CIPHER, scryptSync(passphrase, bytes(salt), 32, SCRYPT), bytes(iv));
    decipher.setAuthTag(bytes(tag));
    const plain = Buffer.concat([decipher.update(bytes(text)), decipher.final()]).toString();
    const { secrets, tables } = JSON.parse(plain) as Pick<Keys, 'secrets'> & {
      readonly tables: readonly (BackupTable & { readonly copied: string })[];
    };
    return { secrets, tables: tables.map((table) => ({ ...table, copied: bytes(table.copied) })) };
  } catch {
    throw new StartFailure(`${file} cannot be read: BACKUP_PASSPHRASE is another one, or the file was changed.`);
  }
}

const base64 = (buffer: Buffer): string => buffer.toString('base64');
const bytes = (text: string): Buffer => Buffer.from(text, 'base64');
