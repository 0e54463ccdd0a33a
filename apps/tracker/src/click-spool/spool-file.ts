import { randomBytes, createHash } from 'node:crypto';
import { readlinkSync } from 'node:fs';
import { open, readFile, stat, unlink, type FileHandle, readdir } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { isObject } from '@ledgerline/contracts/json';
import { isAlive, processIdentity } from '@ledgerline/platform/config/runtime-file';
import { systemErrorCode } from '@ledgerline/platform/config/start-failure';
import type { IntakeItem } from '@ledgerline/platform/intake-log/intake-log';

export type SpooledClick = Pick<IntakeItem, 'event' | 'subject' | 'trace'>;

/** Clicks that are spooled, sent and deduplicated together. */
export interface ClickBatch {
  /** 32 hex digits. */
  readonly batch: string;
  readonly clicks: readonly SpooledClick[];
}

export const newBatch = (clicks: readonly SpooledClick[]): ClickBatch => ({
  batch: randomBytes(16).toString('hex'),
  clicks,
});

/** As the log takes them: remembered for 48 hours when they are sent, for ever when they are replayed. */
export const clickHits = ({ batch, clicks }: ClickBatch, dedupe: IntakeItem['dedupe']): IntakeItem[] =>
  clicks.map((click) => ({ ...click, dedupe, batch }));

/** One line of a spool file, of clicks that are serialized already. */
export const lineOf = ({ batch }: Pick<ClickBatch, 'batch'>, clicks: readonly string[]): string =>
  `{"batch":"${batch}","clicks":[${clicks.join(',')}]}\n`;

const BLOCK_BYTES = 4096;
const ZEROS = Buffer.alloc(256 * 1024);

/**
 * One file of this process's spool: a batch of clicks a line, and zeros up to its size, which were written ahead. So a
 * line takes no new block of the disk, and a line that was cut off ends what is read.
 */
export class SpoolFile {
  /** Batches of it that are being written or sent. */
  pending = 0;
  /** True if a batch of it could not be sent, so that all of it is sent again. */
  needsReplay = false;
  /** True if a write failed, so that it is not written to again. */
  isBroken = false;

  private constructor(
    readonly path: string,
    /** The bytes of its lines. */
    public bytes: number,
    readonly size: number,
    private handle?: FileHandle,
  ) {}

  /** An empty one, whose blocks are on disk. */
  static async allocate(path: string, size: number): Promise<SpoolFile> {
    const file = new SpoolFile(path, 0, size, await open(path, 'wx+', 0o600));
    try {
      await file.writeZeros(size);
      return file;
    } catch (error) {
      await file.delete();
      throw error;
    }
  }

  /** One that another process wrote. Where it cannot be read, its replay says so. */
  static async takenOver(path: string, size: number): Promise<SpoolFile> {
    const end = (await readFile(path).catch(() => undefined))?.indexOf(0) ?? -1;
    const file = new SpoolFile(path, end === -1 ? size : end, size);
    return Object.assign(file, { needsReplay: file.bytes > 0 });
  }

  get left(): number {
    return this.size - this.bytes;
  }

  /** Writes and fsyncs a line. False when another process has taken the file over meanwhile, perhaps without the line. */
  async append(line: Buffer): Promise<boolean> {
    const at = this.bytes;
    this.bytes += line.length;
    await this.write(line, at);
    await this.handle?.datasync();
    return this.isThere();
  }

  /** Its whole lines: one that a crash cut off was never acknowledged. */
  async lines(): Promise<readonly string[]> {
    const content = (await readFile(this.path).catch(ignoreMissing)) ?? Buffer.alloc(0);
    const end = content.indexOf(0);
    const lines = (end === -1 ? content : content.subarray(0, end)).toString();
    return lines.split('\n').slice(0, -1);
  }

  /**
   * Empties it for new lines, and shows that it can be written. False when another process has taken it over. TRICKY: none
   * of its lines may come back behind new ones.
   */
  async clear(): Promise<boolean> {
    this.handle ??= await open(this.path, 'r+').catch(ignoreMissing);
    if (this.handle === undefined) return false;
    await this.writeZeros(Math.min(this.size, Math.max(this.bytes, BLOCK_BYTES)));
    this.bytes = 0;
    this.needsReplay = false;
    return this.isThere();
  }

  async delete(): Promise<void> {
    await this.close();
    await unlink(this.path).catch(ignoreMissing);
  }

  async close(): Promise<void> {
    const { handle } = this;
    this.handle = undefined;
    await handle?.close();
  }

  /** Keeps lines that can never be sent beside it, for people to look at. */
  async putAside(lines: readonly string[]): Promise<void> {
    const aside = await open(`${this.path}.refused`, 'w', 0o600);
    try {
      await aside.writeFile(lines.map((line) => `${line}\n`).join(''));
      await aside.datasync();
    } finally {
      await aside.close();
    }
  }

  private async writeZeros(bytes: number): Promise<void> {
    for (let at = 0; at < bytes; at += ZEROS.length)
      await this.write(ZEROS.subarray(0, Math.min(ZEROS.length, bytes - at)), at);
    await this.handle?.datasync();
  }

  private async write(data: Buffer, at: number): Promise<void> {
    if (this.handle === undefined) throw new Error('the spool file is closed');
    for (let done = 0; done < data.length;)
      done += (await this.handle.write(data, done, data.length - done, at + done)).bytesWritten;
  }

  private isThere = async (): Promise<boolean> => (await stat(this.path).catch(ignoreMissing)) !== undefined;
}

/** Another process was faster. */
export function ignoreMissing(error: unknown): undefined {
  if (systemErrorCode(error) !== 'ENOENT') throw error;
  return undefined;
}

/** The batch of a line; null for a broken line. */
export function parseBatch(line: string): ClickBatch | null {
  try {
    const value: unknown = JSON.parse(line);
    return isBatch(value) ? value : null;
  } catch {
    return null;
  }
}

const isBatch = (value: unknown): value is ClickBatch =>
  isObject(value) && typeof value.batch === 'string' && Array.isArray(value.clicks) && value.clicks.every(isClick);

const isClick = (value: unknown): boolean =>
  isObject(value) && typeof value.subject === 'string' && isObject(value.event) && typeof value.event.id === 'string';

/** A process of another container that has not touched its files for so long is taken for dead. */
export const SILENT_MS = 10_000;

const OWNER = /^([0-9a-f]{8})-(\d+)-([0-9a-f]{8})$/;
const FILE = /^clicks-(.+)-\d+-\d+\.ndjson$/;

/** The process that writes a file: its host and namespace, its id, and its start time, because ids are reused. */
export const ownerOf = (pid: number): string => `${HOST}-${pid}-${digest(processIdentity(pid) ?? '')}`;

/** Returns the owner of empty files that a process left when it ended. */
export const freeOwner = (owner: string): string => `${FREE}${owner}`;
const FREE = 'free-';

/** The `number`th file of a process that started then, epoch ms; names sort by age. */
export const spoolFileName = (owner: string, startedAt: number, number: number): string =>
  `clicks-${owner}-${startedAt}-${String(number).padStart(6, '0')}.ndjson`;

/** The files in a spool's folder whose owner is dead, oldest first. */
export async function orphanedFiles(folder: string, ownOwner: string): Promise<{ name: string; bytes: number }[]> {
  const now = Date.now();
  const found: { name: string; bytes: number }[] = [];
  for (const name of (await readdir(folder)).sort()) {
    const [, owner = ownOwner] = FILE.exec(name) ?? [];
    if (owner === ownOwner) continue;
    const file = await stat(join(folder, name)).catch(() => undefined);
    if (file !== undefined && !isRunning(owner, file.mtimeMs, now)) found.push({ name, bytes: file.size });
  }
  return found;
}

/** Where process ids mean the same, the process table decides; elsewhere, whether the file was touched lately. */
function isRunning(owner: string, touchedAt: number, now: number): boolean {
  if (owner.startsWith(FREE)) return false;
  const [, host, pid] = OWNER.exec(owner) ?? [];
  if (host !== HOST) return now - touchedAt < SILENT_MS;
  return isAlive(Number(pid)) && ownerOf(Number(pid)) === owner;
}

const digest = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 8);

/** Two containers may have the same host name, and both have a process 1. */
function pidNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return '';
  }
}

const HOST = digest(`${hostname()}\n${pidNamespace()}`);
