import { SingleBar } from 'cli-progress';
import type { Source } from './sources';

/** The progress of an import on a terminal: a bar where all sizes are known, else the bytes so far. Nothing elsewhere. */
export class Progress {
  private readonly bar: SingleBar;
  private read = 0;

  constructor(
    sources: readonly Source[],
    private readonly stream: NodeJS.WritableStream & { readonly isTTY?: boolean } = process.stderr,
  ) {
    const total = sources.reduce((sum, { bytes = NaN }) => sum + bytes, 0);
    const format = Number.isNaN(total)
      ? 'importing · {megabytes} MB read · {duration_formatted}'
      : 'importing {bar} {percentage}% · {megabytes} MB read · {eta_formatted} left';
    this.bar = new SingleBar({ format, hideCursor: true, stream });
    this.bar.start(Math.max(total || 0, 1), 0, { megabytes: '0.0' });
  }

  /** More bytes were read. */
  add(bytes: number): void {
    this.read += bytes;
    this.bar.update(this.read, { megabytes: (this.read / 1e6).toFixed(1) });
  }

  /** Clears the line for a message; the bar is drawn again below it. */
  clearLine(): void {
    if (this.stream.isTTY) this.stream.write('\r\u001b[K');
  }

  stop(): void {
    this.bar.stop();
  }
}
