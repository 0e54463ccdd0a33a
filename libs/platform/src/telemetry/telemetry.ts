import type { BeforeApplicationShutdown, OnApplicationShutdown } from '@nestjs/common';
import type { Settings } from '../config/settings';
import { withinTimeout } from '../log/timing';
import type { Logger } from '../logging/logger';
import type { Metrics } from '../metrics/metrics';
import type { Sdk } from './start-sdk';

/** A collector that does not respond must not hold up a stop. */
const STOPPING_MS = 1_000;

/** Exports spans and metrics over OTLP while the application runs; without an endpoint nothing of the SDK is loaded. */
export class Telemetry implements BeforeApplicationShutdown, OnApplicationShutdown {
  private constructor(private readonly sdk: Sdk | undefined) {}

  static async start(
    name: 'api' | 'tracker' | 'projector',
    { telemetry: settings }: Pick<Settings, 'telemetry'>,
    metrics: Metrics,
    logger: Logger,
  ): Promise<Telemetry> {
    if (settings === undefined) return new Telemetry(undefined);
    const { startSdk } = await import('./start-sdk.js');
    return new Telemetry(await startSdk({ name, settings, metrics, logger }));
  }

  /** While the databases that metrics are read from are still connected. */
  async beforeApplicationShutdown(): Promise<void> {
    await withinTimeout(STOPPING_MS, async () => this.sdk?.stopMetrics());
  }

  async onApplicationShutdown(): Promise<void> {
    await withinTimeout(STOPPING_MS, async () => this.sdk?.stopTraces());
  }
}
