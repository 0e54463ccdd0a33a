import { writeFileSync } from 'node:fs';
import type { Figure } from './figure';

/** All figures so far; also written to the file after each part, so that a long run is never lost. */
export class Report {
  readonly figures: Figure[] = [];
  private readonly details: Record<string, unknown> = {};

  constructor(
    private readonly run: Readonly<Record<string, unknown>>,
    private readonly file: string | undefined,
  ) {}

  add(figures: readonly Figure[]): void {
    this.figures.push(...figures);
    this.write();
  }

  detail(name: string, value: unknown): void {
    this.details[name] = value;
    this.write();
  }

  private write(): void {
    if (this.file === undefined) return;
    const { run, figures, details } = this;
    writeFileSync(this.file, `${JSON.stringify({ ...run, figures, ...details }, null, 2)}\n`);
  }
}
