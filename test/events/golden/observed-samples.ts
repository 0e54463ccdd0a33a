import type { ObservedEvent } from '@ledgerline/contracts/events/observed-events';
import type { DataOf } from './definition-samples';

const organizationId = 'org_golden';
const websiteId = 'site_golden';
const linkId = 'link_golden';
const monitorId = 'mon_golden';
const at = '2026-11-20T10:00:00.000Z';

const stamp = {
  organizationId,
  websiteId,
  zone: 'Europe/Berlin',
  visitorId: 'a1'.repeat(16),
  sessionId: 'b2'.repeat(16),
  identity: 'daily',
} as const;
const visitor = {
  country: 'DE',
  region: 'Berlin',
  city: 'Berlin',
  browser: 'Firefox',
  browserVersion: '142.0',
  os: 'Linux',
  device: 'desktop',
} as const;
const host = 'shop.example';
const path = '/sale';
const here = { host, path, query: 'a=1' };
const utm = { source: 'news', medium: 'mail', campaign: 'sale', term: null, content: null };
const referrer = { host: 'www.google.de', path: '/', own: false };
const click = { id: '01K9ZZZZZZZZZZZZZZZZZZZZZZ', linkId };
const screen = { language: 'de-DE', timezone: 'Europe/Berlin', screen: '1920x1080', viewport: '1200x800' };

export const OBSERVED_SAMPLES: DataOf<ObservedEvent> = {
  PageViewed: { ...stamp, ...visitor, ...here, title: 'Sale', referrer, utm, ...screen, click },
  PageLeft: { ...stamp, ...here, timeOnPage: 12.5, scrollDepth: 80, interactions: 3 },
  CustomEventTracked: {
    ...stamp,
    ...visitor,
    name: 'order',
    namespace: 'shop',
    host,
    path,
    properties: { total: 9.5, list: ['a'] },
    profileId: 'c3'.repeat(16),
    source: 'server',
  },
  OutgoingLinkClicked: {
    ...stamp,
    ...visitor,
    href: 'https://other.example/',
    linkKind: 'download',
    own: true,
    text: 'Other',
    host,
    path,
  },
  LinkClicked: { ...visitor, organizationId, linkId, visitorId: 'd4'.repeat(16), referrer, utm },
  VitalMeasured: { ...stamp, ...visitor, host, path, metric: 'LCP', value: 1200.5 },
  ErrorRecorded: {
    ...stamp,
    ...visitor,
    host,
    path,
    message: 'x is not a function',
    stack: 'TypeError\n at app.js:1:2',
    filename: 'https://shop.example/app.js',
    line: 1,
    column: 2,
    errorType: 'TypeError',
  },
  EngagementMeasured: { ...stamp, host, path, timeOnPage: 30, span: { scroll_depth: 80 } },
  VisitorIdentified: {
    ...stamp,
    subject: 'e5'.repeat(16),
    profileId: 'c2VhbGVk',
    traits: { name: 'c2VhbGVk', plan: null },
  },
  HitJudgedBot: {
    organizationId,
    websiteId,
    linkId: null,
    userAgent: 'Googlebot/2.1',
    bot: 'Googlebot',
    rule: 'isbot',
    ruleVersion: '5.2.3',
    hit: { path },
  },
  MonitorChecked: {
    organizationId,
    monitorId,
    dueAt: Date.parse(at),
    intervalSeconds: 60,
    up: false,
    status: 503,
    durationMs: 120,
    failure: 'status',
    maintenance: false,
    resumed: false,
    warning: null,
    detail: 'The status was 503, not 200 to 299.',
    certificateExpiresAt: Date.parse(at),
    unconfirmed: true,
  },
  ReportReady: {
    organizationId,
    reportId: 'rpt_golden',
    period: 'week',
    timezone: 'Europe/Berlin',
    startDate: '2026-11-09',
    endDate: '2026-11-15',
    asOf: Date.parse(at),
    websites: [{ websiteId, name: 'Shop', visitors: 12, visitorsBefore: 10, pageviews: 40, pageviewsBefore: 41 }],
    gaps: [{ websiteId, why: 'behind' }],
  },
  AlertDecided: {
    organizationId,
    alertId: 'alr_golden',
    websiteId,
    linkId: null,
    revision: 3,
    outcome: 'fired',
    from: Date.parse(at) - 3_600_000,
    to: Date.parse(at),
    toldAt: Date.parse(at),
    figure: 12,
    usual: 40.5,
    asOf: Date.parse(at) + 120_000,
    why: null,
    windows: 1,
    told: 1,
  },
};
