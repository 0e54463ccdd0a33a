import type { BeforeValues, Event, LastValues } from './event';

export type MonitorEvent = MonitorCreated | MonitorUpdated | MonitorDeleted;

export type MonitorCreated = Event<'MonitorCreated', MonitorDetails & { monitorId: string }>;
export type MonitorUpdated = Event<
  'MonitorUpdated',
  MonitorDetails & { monitorId: string } & BeforeValues<MonitorSettings>
>;
/** Without the values of its headers. */
export type MonitorDeleted = Event<
  'MonitorDeleted',
  { monitorId: string; organizationId: string; name: string } & LastValues<Omit<MonitorSettings, 'sealedHeaders'>>
>;

export type MonitorDetails = MonitorSettings & { readonly organizationId: string };

/** The settings of a monitor that may change. */
export interface MonitorSettings {
  readonly name: string;
  /** An http(s) address without user name and password. */
  readonly url: string;
  readonly method: MonitorMethod;
  readonly intervalSeconds: number;
  readonly timeoutSeconds: number;
  /** Null = any from 200 to 299, behind redirects. */
  readonly expectedStatus: number | null;
  /** A text that the body must hold; null = any body. */
  readonly expectedText: string | null;
  /** A text that the body must not hold; null = any body. */
  readonly unwantedText: string | null;
  /** A check that takes longer is degraded; null = none is. */
  readonly slowAfterMs: number | null;
  /** It is degraded while its certificate is valid for fewer days; null = it is not looked at. */
  readonly certificateDays: number | null;
  /** True if a certificate that is not trusted is a warning alone. */
  readonly ignoreTlsErrors: boolean;
  /** The body that a POST sends; null = nothing. */
  readonly body: string | null;
  /** The names of the headers that are sent, sorted. */
  readonly headerNames: readonly string[];
  /** The headers with their values, encrypted, because they may be credentials; null where there are none. */
  readonly sealedHeaders: string | null;
  /** A paused monitor is not checked. */
  readonly paused: boolean;
}

export const MONITOR_METHODS = ['GET', 'HEAD', 'POST'] as const;
export type MonitorMethod = (typeof MONITOR_METHODS)[number];

/** Bounds of settings, in seconds. */
export const MONITOR_INTERVAL = { min: 30, max: 3_600, default: 60 } as const;
export const MONITOR_TIMEOUT = { min: 1, max: 30, default: 10 } as const;
