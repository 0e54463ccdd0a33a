import { mkdirSync } from 'node:fs';
import { open, readFile, rename, stat, unlink, utimes, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import type { Hit } from '@ledgerline/platform/intake-log/intake-log';
import type { Logger } from '@ledgerline/platform/logging/logger';
import { leftOvers } from './left-overs';
import { hitsOf, lineOf } from './spool-lines';
import { ownerOf } from './spool-owner';

const MAX_FILE_BYTES = 8 * 1024 * 1024;

/** Takes hits and answers those that can never be taken. */
export type Deliver = (hits: readonly Hit[]) => Promise<readonly Hit[]>;

/**
 * Clicks on disk while the log cannot take them: anonymous already, one line each, durable when `append` resolves.
 * Every process writes files of its own; those of a process that died are taken over by whoever looks next.
 */
export class ClickSpool {
  private waiting: Waiting[] = [];
  private current: OpenFile | undefined;
  /** Files that are written no more, oldest first. */
  private readonly full: SpoolFile[] = [];
  private files = 0;
  private turn: Promise<void> = Promise.resolve();
  private readonly owner = ownerOf(process.pid);
  private readonly startedAt = Date.now();

  constructor(
    private readonly folder: string,
    private readonly maxBytes: number,
    private readonly logger: Pick<Logger, 'error'>,
  ) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  }

  get isEmpty(): boolean {
    return this.bytes === 0 && this.waiting.length === 0;
  }

  /** Resolves when the hits are on disk, or dropped because the spool is full, which the log says loudly. */
  append(hits: readonly Hit[]): Promise<void> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ hits, resolve, reject });
      if (this.waiting.length === 1) void this.inTurn(() => this.drain());
    });
  }

  /** Takes over the files of processes that are no more, and says that this one still is. */
  async adopt(): Promise<void> {
    const now = new Date();
    await Promise.all(this.own().map(({ name }) => utimes(this.placeOf(name), now, now).catch(ignoreMissing)));
    for (const { name, bytes } of await leftOvers(this.folder, this.owner)) {
      const own = this.nextName();
      // TRICKY: only one process succeeds, and from then on nothing is written to it that somebody relies on
      const taken = await rename(this.placeOf(name), this.placeOf(own)).then(() => true, ignoreMissing);
      if (taken) this.full.push({ name: own, bytes });
    }
  }

  /** Gives every file to `deliver`, oldest first, and removes what it took. Ends at the first file that is not taken. */
  async replay(deliver: Deliver): Promise<void> {
    await this.inTurn(() => this.closeCurrent());
    for (let file = this.full[0]; file !== undefined; file = this.full[0]) {
      const content = await readFile(this.placeOf(file.name), 'utf8').catch(ignoreMissing);
      const refused = await deliver((content ?? '').split('\n').flatMap(hitsOf));
      if (refused.length > 0) await this.putAside(file.name, refused);
      this.full.splice(this.full.indexOf(file), 1);
      await unlink(this.placeOf(file.name)).catch(ignoreMissing);
    }
  }

  /** Puts the whole oldest file aside, for people to look at. */
  async putOldestAside(): Promise<void> {
    const file = this.full.shift();
    if (file === undefined) return;
    const place = this.placeOf(file.name);
    await rename(place, `${place}.refused`).catch(ignoreMissing);
  }

  close(): Promise<void> {
    return this.inTurn(() => this.closeCurrent());
  }

  private get bytes(): number {
    return this.own().reduce((sum, { bytes }) => sum + bytes, 0);
  }

  private own(): readonly SpoolFile[] {
    return this.current === undefined ? this.full : [...this.full, this.current];
  }

  /** One piece of work on the current file at a time. */
  private inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.turn.then(work);
    this.turn = done.catch(() => undefined);
    return done;
  }

  /** One write and one fsync for all that wait. */
  private async drain(): Promise<void> {
    const taken = this.waiting;
    this.waiting = [];
    try {
      await this.write(Buffer.from(taken.flatMap(({ hits }) => hits.map(lineOf)).join('')));
      for (const { resolve } of taken) resolve();
    } catch (error) {
      for (const { reject } of taken) reject(error);
    }
  }

  private async write(lines: Buffer): Promise<void> {
    const { bytes } = this;
    if (bytes + lines.length > this.maxBytes) {
      this.logger.error({ bytes }, 'the spool of clicks is full; clicks are lost');
      return;
    }
    try {
      while (!(await this.writeTo((this.current ??= await this.create()), lines))) await this.closeCurrent();
    } catch (error) {
      // TRICKY: what follows a torn line must not become a part of it
      await this.closeCurrent().catch(() => undefined);
      throw error;
    }
  }

  /** False when somebody who took us for dead has taken the file over meanwhile, perhaps without these lines. */
  private async writeTo(file: OpenFile, lines: Buffer): Promise<boolean> {
    file.bytes += lines.length;
    await file.handle.writeFile(lines);
    await file.handle.datasync();
    const there = await stat(this.placeOf(file.name)).catch(ignoreMissing);
    if (there?.ino !== file.inode) return false;
    if (file.bytes > MAX_FILE_BYTES) await this.closeCurrent();
    return true;
  }

  private async create(): Promise<OpenFile> {
    const name = this.nextName();
    const handle = await open(this.placeOf(name), 'ax', 0o600);
    return { name, handle, inode: (await handle.stat()).ino, bytes: 0 };
  }

  private async closeCurrent(): Promise<void> {
    const file = this.current;
    if (file === undefined) return;
    this.current = undefined;
    this.full.push({ name: file.name, bytes: file.bytes });
    await file.handle.close();
  }

  private async putAside(name: string, refused: readonly Hit[]): Promise<void> {
    const file = await open(`${this.placeOf(name)}.refused`, 'w', 0o600);
    try {
      await file.writeFile(refused.map(lineOf).join(''));
      await file.datasync();
    } finally {
      await file.close();
    }
  }

  private placeOf = (name: string): string => join(this.folder, name);

  private nextName = (): string =>
    `clicks-${this.owner}-${this.startedAt}-${String(++this.files).padStart(6, '0')}.ndjson`;
}

interface Waiting {
  readonly hits: readonly Hit[];
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

interface SpoolFile {
  readonly name: string;
  readonly bytes: number;
}

interface OpenFile {
  readonly name: string;
  readonly handle: FileHandle;
  readonly inode: number;
  bytes: number;
}

/** Another process was faster. */
function ignoreMissing(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  return undefined;
}
