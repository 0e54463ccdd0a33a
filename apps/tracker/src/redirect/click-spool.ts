import { mkdirSync, readdirSync, statSync } from 'node:fs';
import { open, readFile, rename, unlink, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import type { Hit } from '@ledgerline/platform/intake-log/intake-log';
import { isAlive } from '@ledgerline/platform/config/is-alive';
import type { Logger } from '@ledgerline/platform/logging/logger';

const FILE = /^clicks-(\d+)-(\d+)-\d+\.ndjson$/;
const MAX_FILE_BYTES = 8 * 1024 * 1024;

/**
 * Clicks on disk while the log cannot take them: anonymous already, one line each, durable when `append` resolves.
 * Every process writes files of its own; those of a process that died are taken over by the next one that starts.
 */
export class ClickSpool {
  private waiting: Waiting[] = [];
  private writing: Promise<void> | undefined;
  private current: { readonly name: string; readonly handle: FileHandle; bytes: number } | undefined;
  private readonly full: string[];
  private bytes: number;
  private files = 0;
  private readonly startedAt = Date.now();

  constructor(
    private readonly folder: string,
    private readonly maxBytes: number,
    private readonly logger: Pick<Logger, 'error'>,
  ) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    this.full = readdirSync(folder).filter(isLeftOver).sort();
    this.bytes = this.full.reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
  }

  get isEmpty(): boolean {
    return this.bytes === 0 && this.waiting.length === 0;
  }

  /** Resolves when the hits are on disk, or dropped because the spool is full, which the log says loudly. */
  append(hits: readonly Hit[]): Promise<void> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ hits, resolve, reject });
      this.writing ??= this.drain();
    });
  }

  /** Gives every file to `deliver`, oldest first, and removes what it took. Ends at the first file that is not taken. */
  async replay(deliver: (hits: readonly Hit[]) => Promise<void>): Promise<void> {
    await this.writing;
    await this.closeCurrent();
    for (let name = this.full[0]; name !== undefined; name = this.full[0]) {
      const content = await readFile(join(this.folder, name), 'utf8');
      await deliver(content.split('\n').flatMap(hitsOf));
      await this.remove(name, Buffer.byteLength(content));
    }
  }

  /** Puts the oldest file aside, for people to look at. */
  async putAside(): Promise<void> {
    const name = this.full.shift();
    if (name === undefined) return;
    const place = join(this.folder, name);
    this.bytes -= statSync(place).size;
    await rename(place, `${place}.refused`);
  }

  async close(): Promise<void> {
    await this.writing;
    await this.closeCurrent();
  }

  /** One write and one fsync for all that wait. */
  private async drain(): Promise<void> {
    while (this.waiting.length > 0) {
      const taken = this.waiting.splice(0);
      try {
        await this.write(Buffer.from(taken.flatMap(({ hits }) => hits.map(lineOf)).join('')));
        for (const { resolve } of taken) resolve();
      } catch (error) {
        for (const { reject } of taken) reject(error);
      }
    }
    this.writing = undefined;
  }

  private async write(lines: Buffer): Promise<void> {
    if (this.bytes + lines.length > this.maxBytes) {
      this.logger.error({ bytes: this.bytes }, 'the spool of clicks is full; clicks are lost');
      return;
    }
    const file = (this.current ??= await this.create());
    await file.handle.writeFile(lines);
    await file.handle.datasync();
    file.bytes += lines.length;
    this.bytes += lines.length;
    if (file.bytes > MAX_FILE_BYTES) await this.closeCurrent();
  }

  private async create() {
    const name = `clicks-${process.pid}-${this.startedAt}-${String(++this.files).padStart(6, '0')}.ndjson`;
    return { name, handle: await open(join(this.folder, name), 'a', 0o600), bytes: 0 };
  }

  private async closeCurrent(): Promise<void> {
    const file = this.current;
    if (file === undefined) return;
    this.current = undefined;
    this.full.push(file.name);
    await file.handle.close();
  }

  private async remove(name: string, bytes: number): Promise<void> {
    this.full.splice(this.full.indexOf(name), 1);
    this.bytes -= bytes;
    await unlink(join(this.folder, name));
  }
}

interface Waiting {
  readonly hits: readonly Hit[];
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

const lineOf = (hit: Hit): string => `${JSON.stringify(hit)}\n`;

/** Written by a process that is no more: a dead one, or an earlier one that had our id. */
function isLeftOver(name: string): boolean {
  const [, pid] = FILE.exec(name) ?? [];
  return pid !== undefined && (Number(pid) === process.pid || !isAlive(Number(pid)));
}

/** A last line that was cut off by a crash is no click that was promised to anybody. */
function hitsOf(line: string): readonly Hit[] {
  try {
    return [{ ...(JSON.parse(line) as Hit), dedupe: 'forever' }];
  } catch {
    return [];
  }
}
