import type { JsonObject } from '../json';
import type { VisitorIdentity } from './organization.events';
import type { ReportPeriod } from './report.events';

/** The events of the intake log: what the tracker received, without addresses and raw user agents, checks of monitors, decisions of alerts, and reports. */
export type ObservedEvent =
  | PageViewed
  | PageLeft
  | CustomEventTracked
  | OutgoingLinkClicked
  | LinkClicked
  | VitalMeasured
  | ErrorRecorded
  | EngagementMeasured
  | VisitorIdentified
  | HitJudgedBot
  | MonitorChecked
  | AlertDecided
  | ReportReady;

/** Events about a website; each carries a {@link WebsiteStamp}. */
export type WebsiteObservedEvent = Exclude<
  ObservedEvent,
  LinkClicked | HitJudgedBot | VisitorIdentified | MonitorChecked | AlertDecided | ReportReady
>;

/** One observed event. */
interface Observed<Type extends string, Data extends object> {
  readonly type: Type;
  /**
   * 128 bits in 26 characters of Crockford base32, upper case. From the client's event id (with website and kind) where
   * there is one, so the same for every retry; otherwise a ULID. Orders events of one millisecond.
   */
  readonly id: string;
  /** When it happened, in epoch ms, by the client's clock within the accepted limits. */
  readonly at: number;
  /** When the tracker accepted it, in epoch ms. */
  readonly receivedAt: number;
  readonly data: Data;
}

/** The fields that intake adds to every website event, so that projections read no settings. */
export interface WebsiteStamp {
  readonly organizationId: string;
  /** null = an event of the whole organization (custom events only). */
  readonly websiteId: string | null;
  /** The website's IANA time zone, which decides the day of an event. */
  readonly zone: string;
  readonly identity: VisitorIdentity;
  /** 128 bits as 32 hex digits, or null without a visitor (server events without ids). */
  readonly visitorId: string | null;
  /** 128 bits as 32 hex digits, hashed with the visitor's salt, or null when the client sent no session id. */
  readonly sessionId: string | null;
}

/** The attributes that intake derives from the address and the user agent of a visitor; null = unknown. */
export type VisitorAttributes = Place & UserAgentInfo;

export type Place = {
  /** ISO 3166-1 alpha-2. */
  readonly country: string | null;
  readonly region: string | null;
  readonly city: string | null;
};

export type UserAgentInfo = {
  readonly browser: string | null;
  readonly browserVersion: string | null;
  readonly os: string | null;
  readonly device: DeviceType;
};

export type DeviceType = 'desktop' | 'mobile' | 'tablet' | 'other';

export interface Utm {
  readonly source: string | null;
  readonly medium: string | null;
  readonly campaign: string | null;
  readonly term: string | null;
  readonly content: string | null;
}

/** Raw referrer: host in lower case without port, and path; `own` = the website's domain or a subdomain of it. */
export interface Referrer {
  readonly host: string;
  readonly path: string;
  readonly own: boolean;
}

/** A page as host, normalised pathname (no trailing slash except `/`) and query string without its `?` (null = none). */
export interface PageAddress extends PageLocation {
  readonly path: string;
  readonly query: string | null;
}

/** Where an event happened; null where the client did not say it, the host also in events that were recorded before November 2026. */
export interface PageLocation {
  readonly host: string | null;
  /** Normalised pathname. */
  readonly path: string | null;
}

export type PageViewed = Observed<
  'PageViewed',
  WebsiteStamp &
    VisitorAttributes &
    PageAddress & {
      readonly title: string | null;
      readonly referrer: Referrer | null;
      readonly utm: Utm | null;
      /** BCP 47 tag. */
      readonly language: string | null;
      /** The visitor’s zone, by its canonical IANA name. */
      readonly timezone: string | null;
      /** `1920x1080`. */
      readonly screen: string | null;
      readonly viewport: string | null;
      /** The click on a short link that led here: the id of its event, and its link. Absent without one. */
      readonly click?: { readonly id: string; readonly linkId: string };
    }
>;

export type PageLeft = Observed<
  'PageLeft',
  WebsiteStamp &
    PageAddress & {
      /** Seconds, fractions allowed; null = unknown. */
      readonly timeOnPage: number | null;
      /** 0–100; null = unknown. */
      readonly scrollDepth: number | null;
      readonly interactions: number | null;
    }
>;

export type CustomEventTracked = Observed<
  'CustomEventTracked',
  WebsiteStamp &
    VisitorAttributes &
    PageLocation & {
      readonly name: string;
      readonly namespace: string | null;
      readonly properties: JsonObject | null;
      /** Hash, like the visitor's id; the profile id as it was sent in events that were recorded before November 2026. */
      readonly profileId: string | null;
      readonly source: string | null;
    }
>;

export type OutgoingLinkClicked = Observed<
  'OutgoingLinkClicked',
  WebsiteStamp &
    VisitorAttributes &
    PageLocation & {
      /** http(s) only; of a download also on the website's own host. */
      readonly href: string;
      readonly linkKind: 'link' | 'download';
      /** True if it leads to the website's domain or a subdomain of it. */
      readonly own: boolean;
      readonly text: string | null;
    }
>;

/** A person followed a short link. */
export type LinkClicked = Observed<
  'LinkClicked',
  VisitorAttributes & {
    readonly organizationId: string;
    readonly linkId: string;
    /** Daily id, 32 hex digits; null in some clicks that earlier versions recorded. */
    readonly visitorId: string | null;
    readonly referrer: Referrer | null;
    readonly utm: Utm | null;
  }
>;

export type VitalMeasured = Observed<
  'VitalMeasured',
  WebsiteStamp &
    VisitorAttributes &
    PageLocation & {
      readonly path: string;
      readonly metric: 'LCP' | 'FCP' | 'CLS' | 'INP' | 'TTFB' | 'FPS';
      readonly value: number;
    }
>;

export type ErrorRecorded = Observed<
  'ErrorRecorded',
  WebsiteStamp &
    VisitorAttributes &
    PageLocation & {
      readonly path: string;
      readonly message: string;
      readonly stack: string | null;
      readonly filename: string | null;
      readonly line: number | null;
      readonly column: number | null;
      readonly errorType: string | null;
    }
>;

/** One page view's engagement, sent when it ends. */
export type EngagementMeasured = Observed<
  'EngagementMeasured',
  WebsiteStamp &
    PageLocation & {
      readonly path: string;
      /** Seconds. */
      readonly timeOnPage: number | null;
      /** The other fields of the span, by their wire names. */
      readonly span: JsonObject;
    }
>;

/** A page or server said who a visitor is. It belongs to no session and changes no count. */
export type VisitorIdentified = Observed<'VisitorIdentified', WebsiteStamp & SealedProfile>;

/** Personal data, each part encrypted with a key of this profile alone that can be deleted. */
export interface SealedProfile {
  /** 32 random hex digits by which the key is found. */
  readonly subject: string;
  readonly profileId: string;
  /** By name; null = removed. */
  readonly traits: Readonly<Record<string, string | null>>;
}

/** The result of one check of a monitor, by the database's clock; its id follows from the monitor and the due time. */
export type MonitorChecked = Observed<
  'MonitorChecked',
  {
    readonly organizationId: string;
    readonly monitorId: string;
    /** For when it was planned, epoch ms. */
    readonly dueAt: number;
    /** The interval of the monitor at that time. */
    readonly intervalSeconds: number;
    readonly up: boolean;
    /** The status of the response; null = there was none. */
    readonly status: number | null;
    /** From the first byte sent, names included, to the verdict. */
    readonly durationMs: number;
    /** Why it is not up. */
    readonly failure: CheckFailure | null;
    /** Within a planned maintenance: it counts for nothing. */
    readonly maintenance: boolean;
    /** The first check since the monitor was created or resumed: nothing is known of the time before it. */
    readonly resumed: boolean;
    /** The fault of a monitor that is up nevertheless. */
    readonly warning: CheckWarning | null;
    /** Why it is not up, or what the warning is about, in a sentence for people. */
    readonly detail: string | null;
    /** When the certificate of the last server ends, epoch ms; null = there was none. */
    readonly certificateExpiresAt: number | null;
    /** It is not up while most hosts failed together: the network of this installation may be to blame. Absent = no. */
    readonly unconfirmed?: true;
  }
>;

/**
 * address: the name leads to addresses that are not public · dns: it has none · connection, tls, timeout: no response ·
 * redirects: more than three, or one to no http(s) address · status, text: not what is expected.
 */
export type CheckFailure = 'address' | 'dns' | 'connection' | 'tls' | 'timeout' | 'redirects' | 'status' | 'text';

/**
 * slow: it took longer than the monitor wants · certificate: it expires sooner than the monitor wants · tls: the
 * certificate is not trusted, which the monitor ignores.
 */
export type CheckWarning = 'slow' | 'certificate' | 'tls';

/** A report about a period was made; its id follows from the report and the period, and its mail is kept under it. */
export type ReportReady = Observed<
  'ReportReady',
  {
    readonly organizationId: string;
    readonly reportId: string;
    readonly period: ReportPeriod;
    readonly timezone: string;
    /** Inclusive days of that zone, `YYYY-MM-DD`. */
    readonly startDate: string;
    readonly endDate: string;
    /** Everything that had arrived by then is in it, epoch ms. */
    readonly asOf: number;
    readonly websites: readonly ReportedFigures[];
    /** The websites that it has no figures of, or not all. */
    readonly gaps: readonly { readonly websiteId: string; readonly why: ReportGap }[];
  }
>;

/** The figures of a website in a report, each with that of the period before. */
export type ReportedFigures = {
  readonly websiteId: string;
  readonly name: string;
  readonly visitors: number;
  readonly visitorsBefore: number;
  readonly pageviews: number;
  readonly pageviewsBefore: number;
};

/** behind: events of the period may be missing · failed: it could not be asked. */
export type ReportGap = 'behind' | 'failed';

/**
 * What an alert decided of windows; times in epoch ms. `at` is the end of the window; the id follows from alert, revision,
 * window and outcome.
 */
export type AlertDecided = Observed<
  'AlertDecided',
  {
    readonly organizationId: string;
    readonly alertId: string;
    /** It is about a website or a link. */
    readonly websiteId: string | null;
    readonly linkId: string | null;
    /** Of the alert's record, with the rule that decided. */
    readonly revision: number;
    readonly outcome: AlertOutcome;
    readonly from: number;
    readonly to: number;
    /** When it is to be told: the window's end, or that of quiet hours. */
    readonly toldAt: number;
    readonly figure: number | null;
    /** The median of the same windows of the last four weeks, where the figure was compared with it. */
    readonly usual: number | null;
    /** Everything that had arrived by then was counted. */
    readonly asOf: number;
    /** Why nothing could be seen, or why it is over though no window says so. */
    readonly why: AlertReason | null;
    /** How many windows it is about: one, or of `quiet` those from one to the other time. */
    readonly windows: number;
    /** How many decisions are told in the same message, as they were made late; 0 = it is told with a later one. */
    readonly told: number;
  }
>;

/** quiet: a day's windows of which nothing was told · undecided: those that had too little to be decided by. */
export type AlertOutcome = 'fired' | 'over' | 'blind' | 'seeing' | 'quiet' | 'undecided';

/**
 * behind: what had arrived was not counted in time · spooled: clicks wait on the disk of a tracker · no_tracker: none was
 * seen in the window · changed: the rule is another one, or is not enabled any more.
 */
export type AlertReason = 'behind' | 'spooled' | 'no_tracker' | 'changed';

/** A hit of a bot, or of a page that is not visible yet. Never counted; contains what is needed to restore it in a rebuild if the verdict was wrong. */
export type HitJudgedBot = Observed<
  'HitJudgedBot',
  {
    readonly organizationId: string;
    readonly websiteId: string | null;
    readonly linkId: string | null;
    /** Empty if it is a person's. */
    readonly userAgent: string;
    readonly bot: string | null;
    readonly rule: string;
    readonly ruleVersion: string;
    /** The event that would have been recorded for a person. */
    readonly hit: JsonObject;
  }
>;
