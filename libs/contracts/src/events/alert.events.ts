import type { Filter } from '../definitions';
import type { BeforeValues, Event, LastValues } from './event';

export type AlertEvent = AlertCreated | AlertUpdated | AlertPaused | AlertDeleted;

export type AlertCreated = Event<'AlertCreated', AlertDetails & { alertId: string }>;
type AlertUpdated = Event<'AlertUpdated', AlertDetails & { alertId: string } & BeforeValues<AlertSettings>>;
/** It decides nothing any more, as `pausedFor` says why. */
type AlertPaused = Event<'AlertPaused', AlertUpdated['data']>;
type AlertDeleted = Event<'AlertDeleted', AlertSubject & { alertId: string } & LastValues<AlertSettings>>;

/** A website or a link, fixed for ever. */
interface AlertSubject {
  readonly organizationId: string;
  readonly websiteId: string | null;
  readonly linkId: string | null;
}

export type AlertDetails = AlertSubject & AlertSettings;

/** The settings of an alert that may change; each change begins it anew. */
export interface AlertSettings {
  /** Unique in its organization. */
  readonly name: string;
  readonly figure: AlertFigure;
  /** Of conversions alone. */
  readonly goalId: string | null;
  readonly filters: readonly Filter[];
  /** The id of a segment. */
  readonly segment: string | null;
  readonly window: { readonly minutes: AlertWindowMinutes };
  readonly compare: AlertComparison;
  /** Of `above` and `below`. */
  readonly threshold: number | null;
  /** Of `changed`. */
  readonly percent: number | null;
  readonly direction: AlertDirection | null;
  /** Of `above` and `changed`: nothing is told of figures below it. */
  readonly minimum: number | null;
  readonly quietHours: QuietHours | null;
  /** After a beginning is told no other one is for so long. */
  readonly pauseMinutes: number;
  /** How long after its end a window is decided. */
  readonly graceSeconds: number;
  readonly destinationIds: readonly string[];
  readonly enabled: boolean;
  /** Why it was paused, until it is enabled again. */
  readonly pausedFor: AlertPause | null;
  /** Who created it, or last changed it: it may send where they may. */
  readonly author: AlertAuthor;
}

export interface AlertAuthor {
  readonly type: 'user' | 'api_key';
  readonly id: string;
}

/** Times of the clock, `HH:MM`, in the time zone of the website, of a link UTC; they may be of two days. */
export interface QuietHours {
  readonly from: string;
  readonly to: string;
}

/** `rights`: its author may not send it any more; others: what it names is deleted. */
export const ALERT_PAUSES = ['rights', 'goal', 'segment', 'link'] as const;
export type AlertPause = (typeof ALERT_PAUSES)[number];

/** Figures that the end of a window fixes, with the shortest window and the shortest grace that they have. */
export const ALERT_FIGURES = {
  pageviews: { isCount: true, minMinutes: 5, minGraceSeconds: 30 },
  visitors: { isCount: true, minMinutes: 60, minGraceSeconds: 30 },
  custom_events: { isCount: true, minMinutes: 5, minGraceSeconds: 30 },
  errors: { isCount: true, minMinutes: 5, minGraceSeconds: 30 },
  conversions: { isCount: true, minMinutes: 5, minGraceSeconds: 30 },
  lcp: { isCount: false, minMinutes: 60, minGraceSeconds: 30 },
  fcp: { isCount: false, minMinutes: 60, minGraceSeconds: 30 },
  cls: { isCount: false, minMinutes: 60, minGraceSeconds: 30 },
  inp: { isCount: false, minMinutes: 60, minGraceSeconds: 30 },
  ttfb: { isCount: false, minMinutes: 60, minGraceSeconds: 30 },
  bounce_rate: { isCount: false, minMinutes: 1_440, minGraceSeconds: 3_600 },
  session_duration: { isCount: false, minMinutes: 1_440, minGraceSeconds: 3_600 },
  clicks: { isCount: true, minMinutes: 5, minGraceSeconds: 30 },
} as const;
export type AlertFigure = keyof typeof ALERT_FIGURES;

/** Returns whether a figure is a number of events or visitors, which is 0 where there are none; others are unknown then. */
export const isAlertCount = (figure: AlertFigure): boolean => ALERT_FIGURES[figure].isCount;

/** How long windows can be. */
export const ALERT_WINDOW_MINUTES = [5, 15, 30, 60, 180, 360, 720, 1_440, 10_080] as const;
export type AlertWindowMinutes = (typeof ALERT_WINDOW_MINUTES)[number];

/** With a number, with the same windows of the last four weeks, or `silence`: none. */
export const ALERT_COMPARISONS = ['above', 'below', 'changed', 'silence'] as const;
export type AlertComparison = (typeof ALERT_COMPARISONS)[number];

export const ALERT_DIRECTIONS = ['up', 'down', 'both'] as const;
export type AlertDirection = (typeof ALERT_DIRECTIONS)[number];
