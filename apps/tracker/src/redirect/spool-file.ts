import { open, readFile, stat, unlink, type FileHandle } from 'node:fs/promises';
import { noteOf, untaken } from './clicks';

/** One file of this process's spool. */
export class SpoolFile {
  /** Batches in it that are being sent: as long as there are any, the file is needed. */
  underWay = 0;
  /** Whether it holds batches that nobody sends any more, so that it must be replayed. */
  isLeft = false;

  private constructor(
    readonly place: string,
    public bytes: number,
    private handle: FileHandle | undefined,
    private readonly inode: number,
  ) {}

  static async create(place: string): Promise<SpoolFile> {
    const handle = await open(place, 'ax', 0o600);
    return new SpoolFile(place, 0, handle, (await handle.stat()).ino);
  }

  /** One that another process wrote. */
  static adopted(place: string, bytes: number): SpoolFile {
    return Object.assign(new SpoolFile(place, bytes, undefined, 0), { isLeft: true });
  }

  get isNeeded(): boolean {
    return this.isLeft || this.underWay > 0;
  }

  /** False when somebody who took us for dead has taken the file over meanwhile, perhaps without these lines. */
  async append(lines: Buffer): Promise<boolean> {
    this.bytes += lines.length;
    await this.handle?.writeFile(lines);
    await this.handle?.datasync();
    const there = await stat(this.place).catch(ignoreMissing);
    return there?.ino === this.inode;
  }

  /** Notes that the log has these batches. Not fsynced: without its note, a batch is sent again and known. */
  async note(batches: readonly string[]): Promise<void> {
    const line = Buffer.from(noteOf(batches));
    this.bytes += line.length;
    await this.handle?.writeFile(line);
  }

  async close(): Promise<void> {
    const { handle } = this;
    this.handle = undefined;
    await handle?.close();
  }

  async remove(): Promise<void> {
    await unlink(this.place).catch(ignoreMissing);
  }

  /** Keeps lines of it that can never be sent, for people to look at. */
  async putAside(lines: readonly string[]): Promise<void> {
    const aside = await open(`${this.place}.refused`, 'w', 0o600);
    try {
      await aside.writeFile(lines.map((line) => `${line}\n`).join(''));
      await aside.datasync();
    } finally {
      await aside.close();
    }
  }

  /** Its whole lines that must be replayed; one that a crash cut off holds no click that was promised to anybody. */
  async lines(): Promise<readonly string[]> {
    const content = await readFile(this.place, 'utf8').catch(ignoreMissing);
    return untaken((content ?? '').split('\n').slice(0, -1));
  }
}

/** Another process was faster. */
export function ignoreMissing(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  return undefined;
}
