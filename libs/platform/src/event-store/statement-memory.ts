import { type KeyObject, createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { JsonObject } from '@ledgerline/contracts/json';
import { writePrivately } from '../config/private-file';
import { systemErrorCode } from '../config/start-failure';
import { canonicalJson } from './appended-events';
import type { Hash } from './event-store';
import type { HeadStatement } from './head-statement';
import { SealingFault } from './verify-chain';

/** In the data directory of each process that signs. */
export const statementFile = (dataDir: string): string => join(dataDir, 'signed-heads.json');

/** The part of a statement that is kept outside the database. */
export type StatementMark = Pick<HeadStatement, 'number' | 'signedAt'> & { readonly hash: Hash };

/** The memory that a process has of the signed statements. */
export type Remembered = StatementMark & {
  /** Statements up to this number were taken from the database alone; absent once an operator has acknowledged them. */
  readonly unacknowledged?: number;
};

/** A file with the newest signed statement, and a MAC of the signing key: without the key it cannot be written. */
export class StatementMemory {
  private readonly macKeys: readonly Buffer[];

  constructor(
    readonly file: string,
    /** Ed25519, private: the one that signs, and the one that is being replaced by it. */
    keys: readonly KeyObject[],
  ) {
    this.macKeys = keys.map(macKeyOf);
  }

  /** Undefined where there is no file, or none with a MAC of the key. @throws SealingFault where it cannot be read */
  read(): Remembered | undefined {
    const { mac, ...content } = this.parse();
    const expected = this.macKeys.map((key) => macOf(key, content));
    if (typeof mac !== 'string' || !expected.some((one) => isEqual(one, mac))) return undefined;
    return content as unknown as Remembered; // this process, or one with its key, has written it
  }

  /** @throws SealingFault where it cannot be written */
  write(remembered: Remembered): void {
    const [key] = this.macKeys;
    if (!key) return;
    try {
      mkdirSync(dirname(this.file), { recursive: true, mode: 0o700 });
      writePrivately(this.file, { ...remembered, mac: macOf(key, remembered) });
    } catch (error) {
      throw new SealingFault(
        `The newest signed statement cannot be remembered in ${this.file} (${codeOf(error)}), so no more are signed; make room there, or set DATA_DIR to a directory that can be written.`,
      );
    }
  }

  private parse(): JsonObject {
    try {
      return (JSON.parse(readFileSync(this.file, 'utf8')) ?? {}) as JsonObject;
    } catch (error) {
      if (error instanceof SyntaxError || codeOf(error) === 'ENOENT') return {};
      throw new SealingFault(
        `${this.file}, which remembers the newest signed statement, cannot be read (${codeOf(error)}).`,
      );
    }
  }
}

const macKeyOf = (key: KeyObject): Buffer =>
  Buffer.from(hkdfSync('sha256', key.export({ format: 'der', type: 'pkcs8' }), '', 'ledgerline signed-heads.json', 32));

const macOf = (key: Buffer, content: JsonObject): string =>
  createHmac('sha256', key).update(canonicalJson(content)).digest('hex');

function isEqual(...macs: readonly [string, string]): boolean {
  const one = Buffer.from(macs[0]);
  const other = Buffer.from(macs[1]);
  return one.length === other.length && timingSafeEqual(one, other);
}

const codeOf = (error: unknown): string =>
  systemErrorCode(error) ?? (error instanceof Error ? error.message : String(error));
