import { performance, type EventLoopUtilization } from 'node:perf_hooks';

const MEASURED_OVER_MS = 100;

/** How much of the latest tenth of a second the event loop of this process was busy. */
export class EventLoopLoad {
  private since = performance.now();
  private before: EventLoopUtilization = performance.eventLoopUtilization();
  private share = 0;

  /** From 0 to 1. */
  now(): number {
    const now = performance.now();
    if (now - this.since < MEASURED_OVER_MS) return this.share;
    const current = performance.eventLoopUtilization();
    this.share = performance.eventLoopUtilization(current, this.before).utilization;
    this.before = current;
    this.since = now;
    return this.share;
  }
}
