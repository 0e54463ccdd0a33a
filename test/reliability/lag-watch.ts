import { setTimeout as sleep } from 'node:timers/promises';

/** Watches how long events wait to be projected, as an api tells. */
export class LagWatch {
  private longest = 0;
  private stopping = false;
  private readonly watching: Promise<void>;

  constructor(private readonly apiUrl: string) {
    this.watching = this.watch();
    this.watching.catch(() => undefined); // `stop` tells
  }

  /** The longest so far, in ms; begins anew. */
  take(): number {
    const { longest } = this;
    this.longest = 0;
    return longest;
  }

  async stop(): Promise<void> {
    this.stopping = true;
    await this.watching;
  }

  private async watch(): Promise<void> {
    while (!this.stopping) {
      const answer = await fetch(`${this.apiUrl}/health/ready`);
      const { projections } = (await answer.json()) as { projections: { group: string; lagMs: number }[] };
      const observed = projections.filter(({ group }) => group !== 'registry').map(({ lagMs }) => lagMs);
      this.longest = Math.max(this.longest, ...observed);
      await sleep(20);
    }
  }
}
