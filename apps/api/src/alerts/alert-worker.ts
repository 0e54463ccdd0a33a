import type { BeforeApplicationShutdown, OnApplicationBootstrap } from '@nestjs/common';
import type { Pool } from 'pg';
import type { AlertDetails } from '@ledgerline/contracts/events/alert.events';
import { usualWindows } from '@ledgerline/domain/alerts/alert-windows';
import type { InstantRange } from '@ledgerline/domain/query/buckets';
import { run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import { isCopy } from '@ledgerline/platform/deliveries/sender-state';
import type { EventStore } from '@ledgerline/platform/event-store/event-store';
import type { IntakeSender } from '@ledgerline/platform/intake-log/intake-log';
import { pause } from '@ledgerline/platform/log/timing';
import type { Logger } from '@ledgerline/platform/logging/logger';
import { OutageLog } from '@ledgerline/platform/logging/outage-log';
import { type AlertDecisions, AlertStates } from './alert-states';
import { BLIND_AFTER_MS, type DecidingAlert, type Sight, decideAlert, dueWindows } from './decide-alert';

/** What is asked of windows; alerts with the same question are answered together. */
export type AlertQuestion = Pick<
  AlertDetails,
  'organizationId' | 'websiteId' | 'linkId' | 'figure' | 'goalId' | 'filters' | 'segment'
>;

/** The figures of windows, in their order (null = there is none), and up to when everything was counted, epoch ms. */
export interface AnsweredWindows extends Omit<Sight, 'hasTracker'> {
  readonly figures: readonly (number | null)[];
}

export interface WindowFiguresReader {
  read(question: AlertQuestion, windows: readonly InstantRange[]): Promise<AnsweredWindows>;
}

interface AlertWorkerParts {
  readonly pool: Pool;
  readonly store: Pick<EventStore, 'epoch'>;
  readonly intakeLog: Pick<IntakeSender, 'send'>;
  readonly figures: WindowFiguresReader;
  readonly publicApiUrl: string;
  readonly logger: Logger;
  /** Epoch ms; by default the clock of the database. */
  readonly clock?: () => Promise<number>;
}

const TICK_MS = 1_000;
/** Trackers write more often than that that they live. */
const NOTED_EVERY_MS = 20_000;
/** So many questions are asked at once. */
const ASKED_AT_ONCE = 4;

/** Decides on the windows of alerts when they are due: each alert in one process at a time. */
export class AlertWorker implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly stopping = new AbortController();
  private readonly states: AlertStates;
  private readonly outage: OutageLog;
  private loop: Promise<void> | undefined;
  private notedAt = -Infinity;
  /** Since when questions have failed, by their keys; by `performance.now()`. */
  private readonly failing = new Map<string, number>();

  constructor(private readonly parts: AlertWorkerParts) {
    this.states = new AlertStates(parts.pool, parts.intakeLog, () => parts.store.epoch());
    this.outage = new OutageLog(parts.logger, {
      began: 'alerts cannot be decided; trying again until they can',
      ended: 'alerts are decided again',
    });
  }

  onApplicationBootstrap(): void {
    this.loop ??= this.run();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await this.loop;
  }

  private async run(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      await this.pass().then(
        (isWhole) => isWhole && this.outage.succeeded(),
        (error: unknown) => this.outage.failed(error),
      );
      await pause(TICK_MS, signal);
    }
  }

  /** Decides what is due; answers whether every question was answered. A copy of an installation decides nothing. */
  async pass(): Promise<boolean> {
    const { pool, store, publicApiUrl } = this.parts;
    if (performance.now() - this.notedAt > NOTED_EVERY_MS) {
      await this.states.noteTracker();
      this.notedAt = performance.now();
    }
    if (await isCopy(pool, { publicApiUrl, epoch: await store.epoch() })) return true;
    const now = await (this.parts.clock ?? (() => readClock(pool)))();
    await this.states.send();
    const taken = await this.states.take(now);
    if (taken.alerts.length === 0) return true;
    try {
      const due = taken.alerts.map((alert) => ({ alert, windows: dueWindows(alert, now) }));
      const asked = await this.ask(due);
      const answered = due.filter(({ alert }) => !this.isToBeAskedAgain(questionKey(alert.details)));
      await this.states.keep(taken.claim, await this.decide(answered, asked, now));
      await this.states.send();
      return this.failing.size === 0;
    } catch (error) {
      await this.states.giveBack(taken);
      throw error;
    }
  }

  /** Asks each question once, for the windows of all alerts that have it. */
  private async ask(due: readonly DueAlert[]): Promise<Answers> {
    const asked = new Answers();
    for (const each of due) asked.add(each);
    const questions = asked.questions();
    for (let from = 0; from < questions.length; from += ASKED_AT_ONCE) {
      const some = questions.slice(from, from + ASKED_AT_ONCE);
      await Promise.all(
        some.map(async ([key, asking]) => {
          try {
            await asking.ask(this.parts.figures);
            this.failing.delete(key);
          } catch (error) {
            this.failing.set(key, this.failing.get(key) ?? performance.now());
            this.outage.failed(error);
          }
        }),
      );
    }
    return asked;
  }

  /** Alerts whose question failed are decided by another pass, until that has lasted so long that they are blind. */
  private isToBeAskedAgain(key: string): boolean {
    const since = this.failing.get(key);
    return since !== undefined && performance.now() - since < BLIND_AFTER_MS;
  }

  private async decide(due: readonly DueAlert[], asked: Answers, now: number): Promise<AlertDecisions[]> {
    const since = due.reduce((first, { windows }) => Math.min(first, windows[0]?.from ?? now), now);
    const hasTracker = await this.states.readTrackers(now, since);
    return due.map(({ alert, windows }) => {
      const { asOf, hasSpooledClicks, figureOf } = asked.of(alert);
      const known = windows.map((window) => ({
        ...window,
        figure: figureOf(window),
        usual: usualOf(alert, window).flatMap((earlier) => figureOf(earlier) ?? []),
      }));
      return { id: alert.id, ...decideAlert(alert, known, { asOf, hasSpooledClicks, hasTracker }, now) };
    });
  }
}

/** An alert with the windows that are to be decided. */
interface DueAlert {
  readonly alert: DecidingAlert;
  readonly windows: readonly InstantRange[];
}

/** The windows that a window is compared with. */
const usualOf = ({ details, shape }: DecidingAlert, window: InstantRange): readonly InstantRange[] =>
  details.compare === 'changed' ? usualWindows(shape, window) : [];

async function readClock(pool: Pool): Promise<number> {
  const [row] = await run<{ now: number }>(pool, sql`select floor(extract(epoch from now()) * 1000)::float8 as now`);
  if (!row) throw new Error('A row says what time it is.');
  return row.now;
}

/** A question with its windows, and the answer once there is one. */
class Asking {
  readonly windows = new Map<string, InstantRange>();
  readonly figures = new Map<string, number | null>();
  answer: Omit<Sight, 'hasTracker'> = { asOf: 0, hasSpooledClicks: false };

  constructor(readonly question: AlertQuestion) {}

  add(window: InstantRange): void {
    this.windows.set(keyOf(window), window);
  }

  async ask(reader: WindowFiguresReader): Promise<void> {
    const windows = [...this.windows.values()];
    const answer = await reader.read(this.question, windows);
    for (const [at, window] of windows.entries()) this.figures.set(keyOf(window), answer.figures[at] ?? null);
    this.answer = answer;
  }
}

/** The questions of alerts with their answers. */
class Answers {
  private readonly asked = new Map<string, Asking>();

  add({ alert, windows }: DueAlert): void {
    const key = questionKey(alert.details);
    const asking = this.asked.get(key) ?? new Asking(questionOf(alert.details));
    this.asked.set(key, asking);
    for (const window of windows) {
      asking.add(window);
      for (const earlier of usualOf(alert, window)) asking.add(earlier);
    }
  }

  questions(): readonly (readonly [key: string, asking: Asking])[] {
    return [...this.asked].filter(([, { windows }]) => windows.size > 0);
  }

  of({ details }: DecidingAlert) {
    const asking = this.asked.get(questionKey(details));
    const figureOf = (window: InstantRange): number | null => asking?.figures.get(keyOf(window)) ?? null;
    return { asOf: 0, hasSpooledClicks: false, ...asking?.answer, figureOf };
  }
}

const keyOf = ({ from, to }: InstantRange): string => `${from} ${to}`;

const questionOf = (details: AlertQuestion): AlertQuestion => {
  const { organizationId, websiteId, linkId, figure, goalId, filters, segment } = details;
  return { organizationId, websiteId, linkId, figure, goalId, filters, segment };
};

const questionKey = (details: AlertQuestion): string => JSON.stringify(questionOf(details));
