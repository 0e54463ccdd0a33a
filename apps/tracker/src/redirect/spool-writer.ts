import type { SpoolFile } from './spool-file';

const MAX_FILE_BYTES = 8 * 1024 * 1024;

export interface SpoolWriterParts {
  readonly create: () => Promise<SpoolFile>;
  /** @throws where so many more bytes have no room */
  readonly checkRoom: (bytes: number) => void;
  /** Takes a file that is written no more. */
  readonly onClosed: (file: SpoolFile) => Promise<void>;
}

/** Writes lines to one file after the other, one piece of work on the current file at a time. */
export class SpoolWriter {
  current: SpoolFile | undefined;
  private waiting: Waiting[] = [];
  private turn: Promise<void> = Promise.resolve();

  constructor(private readonly parts: SpoolWriterParts) {}

  /** Resolves when the line is on disk, with the file it is in. */
  append(line: string): Promise<SpoolFile> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ line, resolve, reject });
      if (this.waiting.length === 1) void this.inTurn(() => this.drain());
    });
  }

  /** Notes in the current file that the log has these batches of it; another one is soon removed or replayed. */
  note(file: SpoolFile, batches: readonly string[]): Promise<void> {
    return this.inTurn(async () => {
      if (file === this.current) await this.orClose(() => file.note(batches));
    });
  }

  /** Closes the current file where that is due. */
  close(isDue: (file: SpoolFile) => boolean = () => true): Promise<void> {
    return this.inTurn(async () => {
      if (this.current !== undefined && isDue(this.current)) await this.closeCurrent();
    });
  }

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
      const file = await this.write(Buffer.from(taken.map(({ line }) => line).join('')));
      file.underWay += taken.length;
      for (const { resolve } of taken) resolve(file);
      if (file.bytes > MAX_FILE_BYTES) await this.closeCurrent();
    } catch (error) {
      for (const { reject } of taken) reject(error);
    }
  }

  private async write(lines: Buffer): Promise<SpoolFile> {
    this.parts.checkRoom(lines.length);
    return this.orClose(async () => {
      for (;;) {
        const file = (this.current ??= await this.parts.create());
        if (await file.append(lines)) return file;
        await this.closeCurrent();
      }
    });
  }

  private async orClose<T>(write: () => Promise<T>): Promise<T> {
    try {
      return await write();
    } catch (error) {
      // TRICKY: what follows a torn line must not become a part of it
      await this.closeCurrent().catch(() => undefined);
      throw error;
    }
  }

  private async closeCurrent(): Promise<void> {
    const file = this.current;
    if (file === undefined) return;
    this.current = undefined;
    await this.parts.onClosed(file);
  }
}

interface Waiting {
  readonly line: string;
  readonly resolve: (file: SpoolFile) => void;
  readonly reject: (error: unknown) => void;
}
