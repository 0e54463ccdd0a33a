import type { Pool } from 'pg';
import type { AlertDetails } from '@ledgerline/contracts/events/alert.events';
import { usualWindows } from '@ledgerline/domain/alerts/alert-windows';
import type { WindowFigures } from '@ledgerline/domain/alerts/decide-window';
import type { InstantRange } from '@ledgerline/domain/query/buckets';
import { run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import { isCopy } from '@ledgerline/platform/deliveries/sender-state';
import type { EventStore } from '@ledgerline/platform/event-store/event-store';
import type { IntakeSender } from '@ledgerline/platform/intake-log/intake-log';
import type { Logger } from '@ledgerline/platform/logging/logger';
import { PeriodicWork } from '@ledgerline/platform/processes/periodic-work';
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

const REPEATED = {
  everyMs: 1_000,
  began: 'alerts cannot be decided; trying again until they can',
  ended: 'alerts are decided again',
};
/** Trackers write more often than that that they live. */
const NOTED_EVERY_MS = 20_000;
/** A question that failed is asked again sooner, unless nobody asks it any more. */
const FORGOTTEN_MS = 60_000;
/** So many questions are asked at once. */
const ASKED_AT_ONCE = 4;

/** Decides on the windows of alerts when they are due: each alert in one process at a time. */
export class AlertWorker extends PeriodicWork {
  private readonly states: AlertStates;
  private notedAt = -Infinity;
  /** Questions that have failed, by their keys: since when, when last, by `performance.now()`, and why. */
  private readonly failing = new Map<
    string,
    { readonly since: number; readonly at: number; readonly error: unknown }
  >();

  constructor(private readonly parts: AlertWorkerParts) {
    super(parts.logger, REPEATED);
    this.states = new AlertStates(parts.pool, parts.intakeLog, () => parts.store.epoch());
  }

  /** Decides what is due, unless this is a copy of an installation. @throws why the first of the questions failed, at the end */
  async runOnce(): Promise<void> {
    const { pool, store, publicApiUrl } = this.parts;
    if (performance.now() - this.notedAt > NOTED_EVERY_MS) {
      await this.states.noteTracker();
      this.notedAt = performance.now();
    }
    if (await isCopy(pool, { publicApiUrl, epoch: await store.epoch() })) return;
    const now = await (this.parts.clock ?? (() => readClock(pool)))();
    const taken = await this.states.take(now);
    try {
      await this.states.send(); // also what a process has left that was killed
      const questions = questionsOf(taken.alerts, now);
      for (let from = 0; from < questions.length; from += ASKED_AT_ONCE) {
        const some = questions.slice(from, from + ASKED_AT_ONCE);
        const answered = await Promise.all(some.map((question) => this.ask(question)));
        const due = answered.flatMap((question) => question ?? []).flatMap((question) => question.due());
        await this.states.keep(taken.claim, await this.decide(due, now));
      }
      await this.states.send();
    } catch (error) {
      await this.states.giveBack(taken);
      throw error;
    }
    for (const [key, { at }] of this.failing) if (performance.now() - at > FORGOTTEN_MS) this.failing.delete(key);
    const [first] = this.failing.values();
    if (first) throw first.error;
  }

  /** Undefined where it failed: another pass asks again, until that has lasted so long that the alerts are blind. */
  private async ask(question: Question): Promise<Question | undefined> {
    const { key } = question;
    try {
      await question.ask(this.parts.figures);
      this.failing.delete(key);
      return question;
    } catch (error) {
      const at = performance.now();
      const { since } = this.failing.get(key) ?? { since: at };
      this.failing.set(key, { since, at, error });
      return at - since < BLIND_AFTER_MS ? undefined : question;
    }
  }

  private async decide(due: readonly DueAlert[], now: number): Promise<AlertDecisions[]> {
    const since = due.reduce((first, { windows }) => Math.min(first, windows[0]?.from ?? now), now);
    const hasTracker = await this.states.readTrackers(now, since);
    return due.map(({ alert, windows, answer }) => {
      return { id: alert.id, ...decideAlert(alert, windows, { ...answer, hasTracker }, now) };
    });
  }
}

/** An alert with the windows that are to be decided, and what is known of them. */
interface DueAlert {
  readonly alert: DecidingAlert;
  readonly windows: readonly WindowFigures[];
  readonly answer: Omit<Sight, 'hasTracker'>;
}

/** A question of alerts, with all windows that they have. */
class Question {
  private readonly windows = new Map<string, InstantRange>();
  private readonly figures = new Map<string, number | null>();
  private answer: Omit<Sight, 'hasTracker'> = { asOf: 0, hasSpooledClicks: false };

  constructor(
    readonly key: string,
    private readonly alerts: readonly (readonly [alert: DecidingAlert, windows: readonly InstantRange[]])[],
  ) {
    for (const [alert, windows] of alerts)
      for (const window of windows)
        for (const each of [window, ...comparedWith(alert, window)]) this.windows.set(keyOf(each), each);
  }

  /** Asks what is to be known, which may be nothing. */
  async ask(reader: WindowFiguresReader): Promise<void> {
    const windows = [...this.windows.values()];
    if (windows.length === 0) return;
    const { figures, ...answer } = await reader.read(JSON.parse(this.key) as AlertQuestion, windows);
    for (const [at, window] of windows.entries()) this.figures.set(keyOf(window), figures[at] ?? null);
    this.answer = answer;
  }

  due(): readonly DueAlert[] {
    const figureOf = (window: InstantRange): number | null => this.figures.get(keyOf(window)) ?? null;
    return this.alerts.map(([alert, windows]) => ({
      alert,
      answer: this.answer,
      windows: windows.map((window) => ({
        ...window,
        figure: figureOf(window),
        usual: comparedWith(alert, window).flatMap((earlier) => figureOf(earlier) ?? []),
      })),
    }));
  }
}

function questionsOf(alerts: readonly DecidingAlert[], now: number): readonly Question[] {
  const byQuestion = new Map<string, (readonly [DecidingAlert, readonly InstantRange[]])[]>();
  for (const alert of alerts) {
    const key = questionKey(alert.details);
    const same = byQuestion.get(key) ?? [];
    same.push([alert, dueWindows(alert, now)]);
    byQuestion.set(key, same);
  }
  return Array.from(byQuestion, ([key, same]) => new Question(key, same));
}

function questionKey(details: AlertQuestion): string {
  const { organizationId, websiteId, linkId, figure, goalId, filters, segment } = details;
  return JSON.stringify({ organizationId, websiteId, linkId, figure, goalId, filters, segment });
}

const keyOf = ({ from, to }: InstantRange): string => `${from} ${to}`;

/** The windows that a window is compared with. */
const comparedWith = ({ details, shape }: DecidingAlert, window: InstantRange): readonly InstantRange[] =>
  details.compare === 'changed' ? usualWindows(shape, window) : [];

async function readClock(pool: Pool): Promise<number> {
  const [row] = await run<{ now: number }>(pool, sql`select floor(extract(epoch from now()) * 1000)::float8 as now`);
  if (!row) throw new Error('A row says what time it is.');
  return row.now;
}
