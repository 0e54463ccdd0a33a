import { mkdirSync } from 'node:fs';
import { rename, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { ignoreMissing, serializeBatch, SpoolFile, type ClickBatch } from './spool-file';
import { fileNameOf, orphanedFiles, ownerOf } from './spool-owner';

/** Sends the lines of a file and resolves with those that can never be accepted. */
type SendLines = (lines: readonly string[]) => Promise<readonly string[]>;

/**
 * Clicks on disk until the log has them, already anonymous. Every process writes files of its own and deletes each once
 * all of its batches are acknowledged. Files with any other batch, and those of a process that died, are replayed whole:
 * the log deduplicates batches by their ids.
 */
export class ClickSpool {
  /** Oldest first. */
  private files: SpoolFile[] = [];
  /** The one that is written to. */
  private current: SpoolFile | undefined;
  private created = 0;
  private readonly owner = ownerOf(process.pid);
  private readonly startedAt = Date.now();

  constructor(
    private readonly folder: string,
    private readonly maxBytes: number,
  ) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  }

  /** Whether any file is to be replayed. */
  get needsReplay(): boolean {
    return this.files.some((file) => file.needsReplay);
  }

  /** What is on disk, not in the log or not known to be there. */
  depth(): { readonly files: number; readonly bytes: number } {
    return { files: this.files.length, bytes: this.files.reduce((sum, file) => sum + file.bytes, 0) };
  }

  /**
   * Resolves with the file when the batch is on disk; the batch is pending until it is acknowledged or left. One call at
   * a time. Rejects when the spool or the disk is full.
   */
  async append(batch: ClickBatch): Promise<SpoolFile> {
    const line = Buffer.from(serializeBatch(batch));
    const { bytes } = this.depth();
    if (bytes + line.length > this.maxBytes) throw new Error(`the spool of clicks is full with ${bytes} bytes`);
    for (;;) {
      const file = (this.current ??= await this.create());
      file.pending++;
      try {
        if (await file.append(line)) return file;
      } catch (error) {
        await this.abandon(file);
        throw error;
      }
      await this.abandon(file);
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

  /** Begins a new file, so that the one before can be deleted or replayed. */
  async rotate(): Promise<void> {
    const file = this.current;
    this.current = undefined;
    if (file !== undefined) await this.finish(file);
  }

  /** Takes over the files of processes that died, and touches the own ones, as a heartbeat for other containers. */
  async takeOver(): Promise<void> {
    const now = new Date();
    await Promise.all(this.files.map(({ path }) => utimes(path, now, now).catch(ignoreMissing)));
    for (const { name, bytes } of await orphanedFiles(this.folder, this.owner)) {
      const path = this.nextPath();
      // only one process succeeds
      const isRenamed = await rename(join(this.folder, name), path).then(() => true, ignoreMissing);
      if (isRenamed) this.files.push(SpoolFile.takenOver(path, bytes));
    }
  }

  /** Replays files and deletes them, oldest first; ends at the first that is not accepted, which is tried last next time. */
  async replay(send: SendLines): Promise<void> {
    for (let file = this.nextReplay(); file !== undefined; file = this.nextReplay()) {
      this.files = [...this.files.filter((each) => each !== file), file];
      const refused = await send(await file.lines());
      if (refused.length > 0) await file.putAside(refused);
      await this.delete(file);
    }
  }

  private nextReplay = (): SpoolFile | undefined =>
    this.files.find((file) => file.needsReplay && file.pending === 0 && file !== this.current);

  private async create(): Promise<SpoolFile> {
    const file = await SpoolFile.create(this.nextPath());
    this.files.push(file);
    return file;
  }

  /** TRICKY: nothing may follow a torn line, and nothing may be written to a file that another process reads. */
  private async abandon(file: SpoolFile): Promise<void> {
    if (file === this.current) this.current = undefined;
    await this.acknowledge(file);
  }

  /** Closes a file that is not written to any more, and deletes it where nothing needs it. */
  private async finish(file: SpoolFile): Promise<void> {
    if (file === this.current || file.pending > 0) return;
    await file.close();
    if (!file.needsReplay) await this.delete(file);
  }

  private async delete(file: SpoolFile): Promise<void> {
    this.files = this.files.filter((each) => each !== file);
    await file.delete();
  }

  private nextPath = (): string => join(this.folder, fileNameOf(this.owner, this.startedAt, ++this.created));
}
