import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import type { Caller } from '@ledgerline/domain/access/caller';
import { type WindowShape, usualWindows, windowShape, windowsBetween } from '@ledgerline/domain/alerts/alert-windows';
import { assertValidAlert } from '@ledgerline/domain/alerts/alert.decider';
import {
  AT_THE_BEGINNING,
  type ToldWindow,
  decideWindow,
  releaseHeld,
  usualFigure,
} from '@ledgerline/domain/alerts/decide-window';
import type { InstantRange } from '@ledgerline/domain/query/buckets';
import { withDtoDefaults } from '../commands/resource';
import type { PlainData } from '../http/record.dto';
import { AlertFigures } from './alert-figures';
import type { CreateAlertDto } from './alert.dto';
import { Alerts, type OpenAlert, authorOf } from './alerts';
import type { AlertTrialDto } from './decision.dto';

/** Says what a rule would have told in the past, and stores nothing. */
export class TryAlert extends Query<PlainData<AlertTrialDto>> {
  constructor(
    readonly body: CreateAlertDto,
    readonly caller: Caller,
    readonly signal: AbortSignal,
    /** Epoch ms. */
    readonly now = Date.now(),
  ) {
    super();
  }
}

const DAY_MS = 86_400_000;
const HOUR_MINUTES = 60;
const TRIED_DAYS = 90;
/** Of windows below an hour, which are many. */
const TRIED_DAYS_OF_SHORT = 7;

@QueryHandler(TryAlert)
export class TryAlertHandler implements IQueryHandler<TryAlert> {
  constructor(
    private readonly alerts: Alerts,
    private readonly figures: AlertFigures,
  ) {}

  /** @throws Problem · Rejection of what could not be saved either, but for its name */
  async execute({ body, caller, signal, now }: TryAlert): Promise<PlainData<AlertTrialDto>> {
    const rule = withDtoDefaults(body, this.alerts.defaults) as OpenAlert; // as it was validated
    this.alerts.authorize(caller, this.alerts.writes, rule);
    assertValidAlert({ ...rule, pausedFor: null, author: authorOf(caller) });
    await this.alerts.check(rule, caller);
    const zone = await this.figures.zone(rule);
    const shape = windowShape(rule, zone);
    const to = now - rule.graceSeconds * 1_000;
    const days = rule.window.minutes < HOUR_MINUTES ? TRIED_DAYS_OF_SHORT : TRIED_DAYS;
    const from = to - days * DAY_MS;
    const windows = windowsBetween(shape, from, to);
    const weeks = windows.map((window) => usualWindows(shape, window));
    const known = await this.readFigures(rule, [windows, ...weeks].flat(), signal);
    const decided = decideAll(rule, shape, {
      windows,
      weeks,
      now,
      figureOf: ({ to: end }) => known.get(end) ?? null,
    });
    return {
      sentence: this.alerts.sentenceOf(rule),
      timezone: zone,
      from: new Date(from).toISOString(),
      to: new Date(to).toISOString(),
      windows: windows.length,
      ...decided,
      told: decided.told.map(toldRow),
    };
  }

  /** By the ends of windows, of which each has one. */
  private async readFigures(rule: OpenAlert, all: readonly InstantRange[], signal: AbortSignal) {
    const windows = [...new Map(all.map((window) => [window.to, window])).values()];
    const { figures } = await this.figures.read(rule, windows, signal);
    return new Map(windows.map((window, nth) => [window.to, figures[nth] ?? null]));
  }
}

interface TriedWindows {
  readonly windows: readonly InstantRange[];
  /** The windows that each is compared with. */
  readonly weeks: readonly (readonly InstantRange[])[];
  readonly now: number;
  readonly figureOf: (window: InstantRange) => number | null;
}

/** Decides on windows one after the other, as they would have been. */
function decideAll(rule: OpenAlert, { zone }: WindowShape, { windows, weeks, now, figureOf }: TriedWindows) {
  const told: ToldWindow[] = [];
  const figures: (readonly [number, number | null, number | null])[] = [];
  let progress = AT_THE_BEGINNING;
  let decided = 0;
  for (const [nth, window] of windows.entries()) {
    const figure = figureOf(window);
    const usual = (weeks[nth] ?? []).flatMap((week) => figureOf(week) ?? []);
    const decision = decideWindow(rule, zone, progress, { ...window, figure, usual });
    progress = decision.progress;
    if (decision.verdict !== 'undecided') decided++;
    told.push(...decision.told);
    figures.push([window.to / 1_000, figure, usualFigure(usual)]);
  }
  told.push(...releaseHeld(rule, progress, now).told);
  return { decided, figures, told };
}

const toldRow = ({ outcome, from, to, figure, usual, toldAt }: ToldWindow) => ({
  outcome,
  from: new Date(from).toISOString(),
  to: new Date(to).toISOString(),
  figure,
  usual,
  toldAt: new Date(toldAt).toISOString(),
});
