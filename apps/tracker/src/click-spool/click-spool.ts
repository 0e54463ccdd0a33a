import { mkdir, rename, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { systemErrorCode } from '@ledgerline/platform/config/start-failure';
import { ignoreMissing, SpoolFile, spoolFileName, freeOwner, orphanedFiles, ownerOf } from './spool-file';

/** Sends the lines of a file and resolves with those that can never be accepted. */
type SendLines = (lines: readonly string[]) => Promise<readonly string[]>;

export interface SpoolState {
  /** Bytes on disk that are allocated for clicks and free. */
  readonly room: number;
  /** Why the disk takes nothing, until it does: the code of its error. */
  readonly failing?: string;
}

const MB = 1024 * 1024;
const MAX_FILE_BYTES = 4 * MB;
/** A file is left when a line of this length may not fit any more. */
export const MAX_LINE_BYTES = 64 * 1024;
/** While the log takes nothing, the spool may have so many times the room that is kept. */
const GROWTH = 4;

/**
 * Clicks on disk until the log has them, already anonymous. Every process has files of its own, written ahead, so that a
 * disk that others fill still has room for clicks; each is emptied once all of its batches are acknowledged. Files with
 * any other batch, and those of a process that died, are replayed whole: the log deduplicates batches by their ids.
 */
export class ClickSpool {
  /** With clicks, oldest first. */
  private files: SpoolFile[] = [];
  /** Empty ones. */
  private free: SpoolFile[] = [];
  /** The one that is written to. */
  private current: SpoolFile | undefined;
  private reserved = 0;
  private failing: string | undefined;
  /** Since a write failed: nothing is reserved before one succeeds. */
  private isSuspect = false;
  private created = 0;
  private readonly fileBytes: number;
  private readonly owner = ownerOf(process.pid);
  private readonly startedAt = Date.now();

  /** `roomBytes` = what is kept free on disk, at least two files. */
  constructor(
    private readonly folder: string,
    private readonly roomBytes: number,
  ) {
    this.fileBytes = Math.min(MAX_FILE_BYTES, Math.floor(roomBytes / 2));
  }

  /** True if any file is to be replayed. */
  get needsReplay(): boolean {
    return this.files.some((file) => file.needsReplay);
  }

  /** Returns what is on disk, not in the log or not known to be there. */
  depth(): { readonly files: number; readonly bytes: number } {
    return { files: this.files.length, bytes: this.files.reduce((sum, file) => sum + file.bytes, 0) };
  }

  state(): SpoolState {
    const room = this.isSuspect ? 0 : Math.max(0, this.roomIn(this.current) - this.reserved);
    return { room, ...(this.failing !== undefined && { failing: this.failing }) };
  }

  /** Sets room aside for a click. False where there is none. */
  reserve(bytes: number): boolean {
    if (bytes > MAX_LINE_BYTES || bytes > this.state().room) return false;
    this.reserved += bytes;
    return true;
  }

  /**
   * Resolves with the file when the line is on disk, and ends its reservation in any case; the line is pending until it is
   * acknowledged or left. One call at a time. Rejects when nothing is free or the disk fails.
   */
  async append(line: Buffer, reserved = 0): Promise<SpoolFile> {
    try {
      for (;;) {
        const file = this.fileFor(line);
        file.pending++;
        try {
          if (await file.append(line)) return file;
        } catch (error) {
          this.failing = messageOf(error);
          this.isSuspect = true;
          await this.abandon(file);
          throw error;
        }
        await this.abandon(file);
      }
    } finally {
      this.reserved -= reserved;
    }
  }

  /** The log has the batch. */
  async acknowledge(file: SpoolFile): Promise<void> {
    file.pending--;
    await this.finish(file);
  }

  /** The batch is not sent any more and waits for a replay. */
  async leave(file: SpoolFile): Promise<void> {
    file.needsReplay = true;
    await this.acknowledge(file);
  }

  /** Begins a new file, so that the one before can be emptied or replayed, unless what is reserved needs its room. */
  async rotate(): Promise<void> {
    const file = this.current;
    if (file === undefined || file.bytes === 0 || this.reserved > this.roomIn(undefined)) return;
    this.current = undefined;
    await this.finish(file);
  }

  /** Begins a new file where this one keeps no other waiting: files are few while the log is slow or away. */
  async rotateWhereIdle(): Promise<void> {
    const isWaiting = this.files.some((file) => file !== this.current && file.pending > 0);
    if (!isWaiting) await this.rotate();
  }

  /** Takes over the files of processes that ended, and writes files ahead until there is room. @throws when the disk fails */
  async refresh(): Promise<void> {
    try {
      await mkdir(this.folder, { recursive: true, mode: 0o700 });
      await this.takeOver();
      if (this.isSuspect && (await this.free[0]?.clear()) === false) await this.free.shift()?.close();
      while (this.isShort()) this.free.push(await SpoolFile.allocate(this.nextPath(), this.fileBytes));
      this.failing = undefined;
      this.isSuspect = false;
    } catch (error) {
      this.failing = messageOf(error);
      throw error;
    }
  }

  /** Replays files and empties them, oldest first; ends at the first that is not accepted, which is tried last next time. */
  async replay(send: SendLines): Promise<void> {
    for (let file = await this.nextReplay(); file !== undefined; file = await this.nextReplay()) {
      const replayed = file;
      this.files = [...this.files.filter((each) => each !== replayed), replayed];
      const refused = await send(await file.lines());
      if (refused.length > 0) await file.putAside(refused);
      await this.empty(file);
    }
  }

  /** Leaves the room to the next process; to be called when nothing is written any more. */
  async close(): Promise<void> {
    await this.rotate();
    const free = this.free.splice(0);
    const left = (file: SpoolFile) =>
      rename(file.path, join(this.folder, spoolFileName(freeOwner(this.owner), this.startedAt, ++this.created)));
    await Promise.all(free.map((file) => left(file).catch(ignoreMissing)));
    await Promise.all([...free, ...this.files].map((file) => file.close()));
  }

  /** The own files are touched, as a heartbeat for other containers. */
  private async takeOver(): Promise<void> {
    const now = new Date();
    const own = [...this.files, ...this.free];
    await Promise.all(own.map(({ path }) => utimes(path, now, now).catch(ignoreMissing)));
    for (const { name, bytes } of await orphanedFiles(this.folder, this.owner)) {
      const path = this.nextPath();
      // only one process succeeds
      const isRenamed = await rename(join(this.folder, name), path).then(() => true, ignoreMissing);
      if (isRenamed) await this.adopt(await SpoolFile.takenOver(path, bytes));
    }
  }

  /** Returns what lines are sure to find room in: a line may leave the end of a file unused. */
  private roomIn(current: SpoolFile | undefined): number {
    const files = current === undefined ? this.free : [current, ...this.free];
    return files.reduce((sum, { left }) => sum + Math.max(0, left - MAX_LINE_BYTES), 0);
  }

  /** Files that are being sent will soon be room again. */
  private isShort(): boolean {
    const files = this.free.length + this.files.filter(({ needsReplay }) => !needsReplay).length;
    const all = [...this.files, ...this.free].reduce((sum, { size }) => sum + size, 0);
    return files < Math.floor(this.roomBytes / this.fileBytes) && all + this.fileBytes <= this.roomBytes * GROWTH;
  }

  private fileFor(line: Buffer): SpoolFile {
    const { current } = this;
    if (current !== undefined && current.left >= line.length) return current;
    const next = this.free.shift();
    if (next === undefined) throw new Error('the spool of clicks is full');
    this.current = next;
    this.files.push(next);
    if (current !== undefined) void this.finish(current);
    return next;
  }

  private async nextReplay(): Promise<SpoolFile | undefined> {
    const isReady = (file: SpoolFile) => file.needsReplay && file.pending === 0 && file !== this.current;
    const file = this.files.find(isReady);
    if (file !== undefined || this.current?.needsReplay !== true) return file;
    await this.rotate();
    return this.files.find(isReady);
  }

  /** TRICKY: nothing may follow a torn line, and nothing may be written to a file that another process reads. */
  private async abandon(file: SpoolFile): Promise<void> {
    if (file === this.current) this.current = undefined;
    file.isBroken = true;
    await this.acknowledge(file);
  }

  /** Empties a file that is not written to any more where nothing needs its lines. */
  private async finish(file: SpoolFile): Promise<void> {
    if (file === this.current || file.pending > 0) return;
    if (!file.needsReplay && this.files.includes(file)) await this.empty(file);
  }

  private async empty(file: SpoolFile): Promise<void> {
    this.files = this.files.filter((each) => each !== file);
    await this.adopt(file, true);
  }

  /** Keeps an empty file as room where that is wanted, and deletes it otherwise. */
  private async adopt(file: SpoolFile, isDone = !file.needsReplay): Promise<void> {
    if (!isDone) this.files.push(file);
    else if (file.isBroken || file.size !== this.fileBytes || !this.isShort()) await file.delete();
    else if (await file.clear().catch(() => file.delete())) this.free.push(file);
    else await file.close();
  }

  private nextPath = (): string => join(this.folder, spoolFileName(this.owner, this.startedAt, ++this.created));
}

/** Without paths, as health says it to anybody. */
const messageOf = (error: unknown): string => systemErrorCode(error) ?? String(error);
