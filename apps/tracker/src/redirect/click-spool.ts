import { mkdirSync } from 'node:fs';
import { rename, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { lineOf, type Clicks } from './clicks';
import { leftOvers } from './left-overs';
import { ignoreMissing, SpoolFile } from './spool-file';
import { ownerOf } from './spool-owner';
import { SpoolWriter } from './spool-writer';

/** Takes the lines of a file and answers what of them can never be taken. */
export type Deliver = (lines: readonly string[]) => Promise<readonly string[]>;

/**
 * Clicks on disk until the log has them: anonymous already, one line a batch, durable when `append` resolves. Every
 * process writes files of its own; those of a process that died are taken over by whoever looks next.
 */
export class ClickSpool {
  /** Files that are written no more, oldest first. */
  private full: SpoolFile[] = [];
  private files = 0;
  private readonly owner = ownerOf(process.pid);
  private readonly startedAt = Date.now();
  private readonly writer = new SpoolWriter({
    create: () => SpoolFile.create(this.nextPlace()),
    checkRoom: (bytes) => this.checkRoom(bytes),
    onClosed: (file) => this.takeFull(file),
  });

  constructor(
    private readonly folder: string,
    private readonly maxBytes: number,
  ) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  }

  /** Whether there is anything to replay. */
  get hasLeft(): boolean {
    return this.own().some(({ isLeft }) => isLeft);
  }

  /** Resolves when the clicks are on disk, with the file that is to be told what became of them. Rejects when it is full. */
  append(clicks: Clicks): Promise<SpoolFile> {
    return this.writer.append(lineOf(clicks));
  }

  /** The log has these batches of the file, which is removed when nothing needs it any more. */
  async delivered(file: SpoolFile, batches: readonly string[]): Promise<void> {
    file.underWay -= batches.length;
    await this.writer.note(file, batches);
    if (file !== this.writer.current && !file.isNeeded) await this.remove(file);
  }

  /** Nobody sends these batches any more: they wait for a replay. */
  leave(file: SpoolFile, batches = 1): void {
    file.underWay -= batches;
    file.isLeft = true;
  }

  /** Takes over the files of processes that are no more, says that this one still is, and removes what nobody needs. */
  async adopt(): Promise<void> {
    await this.writer.close((file) => !file.isNeeded);
    const now = new Date();
    await Promise.all(this.own().map(({ place }) => utimes(place, now, now).catch(ignoreMissing)));
    for (const { name, bytes } of await leftOvers(this.folder, this.owner)) {
      const place = this.nextPlace();
      // TRICKY: only one process succeeds, and from then on nothing is written to it that somebody relies on
      const taken = await rename(join(this.folder, name), place).then(() => true, ignoreMissing);
      if (taken) this.full.push(SpoolFile.adopted(place, bytes));
    }
  }

  /** Gives every file that is left to `deliver`, oldest first, and removes it. Ends at the first that is not taken. */
  async replay(deliver: Deliver): Promise<void> {
    await this.writer.close((file) => file.isLeft);
    for (let file = this.oldestLeft(); file !== undefined; file = this.oldestLeft()) {
      try {
        const refused = await deliver(await file.lines());
        if (refused.length > 0) await file.putAside(refused);
      } catch (error) {
        // should it alone be bad, the others get their turn
        this.full = [...this.full.filter((each) => each !== file), file];
        throw error;
      }
      await this.remove(file);
    }
  }

  close(): Promise<void> {
    return this.writer.close();
  }

  private own(): readonly SpoolFile[] {
    const { current } = this.writer;
    return current === undefined ? this.full : [...this.full, current];
  }

  private oldestLeft = (): SpoolFile | undefined => this.full.find(({ isLeft }) => isLeft);

  private checkRoom(wanted: number): void {
    const bytes = this.own().reduce((sum, file) => sum + file.bytes, 0);
    if (bytes + wanted > this.maxBytes) throw new Error(`the spool of clicks is full with ${bytes} bytes`);
  }

  private async takeFull(file: SpoolFile): Promise<void> {
    this.full.push(file);
    await file.close();
    if (!file.isNeeded) await this.remove(file);
  }

  private async remove(file: SpoolFile): Promise<void> {
    this.full = this.full.filter((each) => each !== file);
    await file.remove();
  }

  private nextPlace = (): string =>
    join(this.folder, `clicks-${this.owner}-${this.startedAt}-${String(++this.files).padStart(6, '0')}.ndjson`);
}
