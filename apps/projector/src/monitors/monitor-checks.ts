import { eventIdOf } from '@ledgerline/contracts/events/event-id';
import type { MonitorChecked } from '@ledgerline/contracts/events/observed-events';
import type { IntakeSender } from '@ledgerline/platform/intake-log/intake-log';
import { pause } from '@ledgerline/platform/log/backoff';
import type { Logger } from '@ledgerline/platform/logging/logger';
import { OutageLog } from '@ledgerline/platform/logging/outage-log';
import type { GuardOptions } from '@ledgerline/platform/outbound/guarded-agent';
import type { SealedValues } from '@ledgerline/platform/personal-data/sealed-values';
import type { BeforeApplicationShutdown, OnApplicationBootstrap } from '@nestjs/common';
import type { CheckSchedule, DueCheck } from './check-schedule';
import { checkAddress, type CheckResult } from './http-check';

interface MonitorChecksParts {
  readonly schedule: Pick<CheckSchedule, 'take' | 'finish' | 'giveBack'>;
  readonly intakeLog: Pick<IntakeSender, 'send'>;
  /** The headers of monitors, by name. */
  readonly headers: Pick<SealedValues<Readonly<Record<string, string>>>, 'open'>;
  readonly guard: GuardOptions;
  readonly logger: Logger;
}

/** Checks under way in one process. */
const MAX_AT_ONCE = 50;
const TICK_MS = 1_000;

/** Checks monitors when they are due, and records each result as an observed event before the next one is due. */
export class MonitorChecks implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly stopping = new AbortController();
  private readonly running = new Set<Promise<void>>();
  private readonly outage: OutageLog;
  private loop: Promise<void> | undefined;

  constructor(private readonly parts: MonitorChecksParts) {
    this.outage = new OutageLog(parts.logger, {
      began: 'monitors cannot be checked; trying again until they can',
      ended: 'monitors are checked again',
    });
  }

  onApplicationBootstrap(): void {
    this.loop ??= this.run();
  }

  /** Gives back the checks that are under way. */
  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await this.loop;
    await Promise.all(this.running);
  }

  private async run(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      await this.beginDue().catch((error: unknown) => this.outage.failed(error));
      await pause(TICK_MS, signal);
    }
  }

  private async beginDue(): Promise<void> {
    const free = MAX_AT_ONCE - this.running.size;
    if (free === 0) return;
    const due = await this.parts.schedule.take(free);
    if (due.length === 0 && this.running.size === 0) this.outage.succeeded();
    for (const check of due) {
      const running = this.complete(check).catch((error: unknown) => this.failed(check, error));
      this.running.add(running);
      void running.finally(() => this.running.delete(running));
    }
  }

  private async complete(check: DueCheck): Promise<void> {
    const { schedule, intakeLog } = this.parts;
    const event = eventOf(check, await this.resultOf(check));
    await intakeLog.send([{ event, subject: check.id, dedupe: '48h' }]);
    await schedule.finish(check);
    this.outage.succeeded();
  }

  /** Unless the process stops, the check is made again when it no longer belongs to this process. */
  private async failed(check: DueCheck, error: unknown): Promise<void> {
    if (!this.stopping.signal.aborted) this.outage.failed(error);
    else await this.parts.schedule.giveBack(check).catch(() => undefined);
  }

  private async resultOf({ id, details }: DueCheck): Promise<CheckResult> {
    const { headers: values, guard } = this.parts;
    const { organizationId, sealedHeaders: sealed } = details;
    const headers = sealed === null ? {} : (await values.open([{ organizationId, id, sealed }])).get(sealed);
    // just replaced, and the read model is about to follow; or KEY_PEPPER is another one by now
    if (!headers) throw new Error(`The headers of ${id} cannot be decrypted.`);
    return checkAddress({ ...details, headers }, guard, this.stopping.signal);
  }
}

function eventOf({ id, details, dueAt, takenAt, maintenance, resumed }: DueCheck, result: CheckResult): MonitorChecked {
  const { organizationId, intervalSeconds } = details;
  return {
    type: 'MonitorChecked',
    id: eventIdOf(id, 'MonitorChecked', String(dueAt)),
    at: takenAt,
    receivedAt: takenAt + result.durationMs,
    data: { organizationId, monitorId: id, dueAt, intervalSeconds, ...result, maintenance, resumed },
  };
}
