import { type MetricType, onCLS, onFCP, onINP, onLCP } from 'web-vitals';
import { MAX_ERRORS, onError } from './errors';
import { tryOrUndefined, withoutThrowing, listen, warn } from './guarded';
import { hideClick, onNavigation, onOutgoingLink, pageUrl } from './navigation';
import { openOutbox, type BrowserItem, type Outbox } from './outbox';
import { openPageView } from './page-view';
import { readSettings, type ScriptSettings } from './settings';
import { onTaggedElement } from './tagged-elements';
import { randomId, resetVisitorId, visitorId } from './visitor';

/** The functions that a page's own code may call; it does nothing for visitors who do not want to be counted. */
interface Ledgerline {
  track(name: string, properties?: BrowserItem): void;
  identify(profileId: string | number | bigint, traits?: BrowserItem): void;
  /** Begins another visitor, who is not identified. */
  reset(): void;
}

declare global {
  interface Window {
    /** The functions, or the stub of a page with the calls that it has queued. */
    ledgerline?: { readonly queue?: unknown };
    __ledgerline?: Record<string, Ledgerline>;
  }
}

type Call = readonly [name: keyof Ledgerline, ...values: unknown[]];

/**
 * Makes the functions public, then the calls that the page's stub has queued, in order. Functions of the stub which the
 * page has taken for itself still push to the queue, so from now on that is a call.
 */
function publish(ledgerline: Ledgerline): void {
  const queue = window.ledgerline?.queue;
  const queued: readonly unknown[] = Array.isArray(queue) ? queue : [];
  const push = withoutThrowing((call: unknown) => {
    if (!Array.isArray(call)) return;
    const [name, ...values] = call as unknown as Call;
    (ledgerline[name] as ((...values: unknown[]) => void) | undefined)?.(...values);
  });
  const stub = Array.isArray(queue) ? window.ledgerline : {};
  window.ledgerline = Object.assign(stub ?? {}, ledgerline, { queue: { push } });
  queued.forEach((call) => push(call));
}

function start(settings: ScriptSettings): Ledgerline {
  const { host, websiteId, routesByHash, keepsVisitorId, ignoredErrors } = settings;
  let visitor = visitorId(keepsVisitorId);
  const outbox = openOutbox(host, websiteId, () => visitor);
  let views = 1;
  let errors = 0;
  let view = openPageView(outbox, pageUrl(routesByHash), document.referrer, views);
  tryOrUndefined(hideClick); // before navigation is watched: it is none
  const nextView = (referrer: string) => {
    errors = 0;
    view = openPageView(outbox, pageUrl(routesByHash), referrer, ++views);
  };

  const navigate = () => {
    const before = view.url;
    view.end('navigation');
    nextView(before);
  };
  tryOrUndefined(() => onNavigation(settings, navigate));
  const track = (name: string, properties: unknown) => outbox.add('/batch', { name, path: view.url, properties });
  onTaggedElement(track);
  onOutgoingLink((link) => outbox.add('/batch', { type: 'outgoing_link', path: view.url, ...link }));
  onError(ignoredErrors, (error) => {
    view.engagement.countError();
    if (++errors <= MAX_ERRORS) outbox.add('/errors', { path: view.url, ...error });
  });
  const forgetVitals = tryOrUndefined(() => onVitals(outbox, view.url));

  const goOn = () => {
    if (document.hidden || view.goesOn()) return;
    view.stop();
    forgetVitals?.();
    nextView(document.referrer);
  };
  const change = () => {
    goOn();
    if (!document.hidden) return;
    view.report('hidden');
    outbox.flushAtEnd();
  };
  const leave = () => {
    view.end('unload');
    outbox.flushAtEnd();
  };
  const show = ({ persisted }: PageTransitionEvent) => persisted && nextView(document.referrer);
  setInterval(withoutThrowing(goOn), 60_000);
  listen('visibilitychange', change);
  listen('pagehide', leave);
  listen('pageshow', show);

  return {
    track: named('track', track),
    identify: named('identify', (profileId, traits) => outbox.add('/identify', { profileId, traits })),
    reset: withoutThrowing(() => {
      view.end('navigation');
      forgetVitals?.();
      visitor = resetVisitorId(keepsVisitorId);
      nextView(view.url);
    }),
  };
}

/** Reports each metric whenever it changes. Returns what ends a session or a visitor: their metrics are not reported again. */
function onVitals(outbox: Outbox, path: string): () => void {
  /** The number of reports of each metric, by its id. */
  const reports: Record<string, number> = {};
  let past: string[] = [];
  const report = ({ name, value, id }: Pick<MetricType, 'name' | 'value' | 'id'>) => {
    if (past.includes(id)) return;
    const revision = (reports[id] = (reports[id] ?? -1) + 1);
    outbox.add('/vitals', { eventId: id, revision, path, metricName: name, metricValue: value });
  };
  for (const on of hasOwnCollections() ? [onCLS, onFCP, onINP, onLCP] : []) tryOrUndefined(() => on(report));
  const [page] = performance.getEntriesByType('navigation');
  if (page)
    report({ name: 'TTFB', value: Math.max(0, page.responseStart - (page.activationStart ?? 0)), id: randomId() });
  return () => {
    past = Object.keys(reports);
  };
}

/** `web-vitals` fails later, in the page, where a page has put a class of its own in the place of one of these. */
const hasOwnCollections = (): boolean => [Map, Set, WeakMap].every((each) => /native code/.test(String(each)));

/** A function whose first value is a name or an id; a number is one too. */
const named = (call: string, send: (name: string, more: unknown) => void) =>
  withoutThrowing((given: unknown, more?: unknown) => {
    const name = /obj|un/.test(typeof given) ? '' : String(given).trim();
    if (name) send(name, more);
    else warn(`${call}() needs a text`);
  });

/** A page that is rendered ahead is counted once it is visible; what its own code calls waits for that. */
function startWhenSeen(settings: ScriptSettings): Ledgerline {
  if (!document.prerendering) return start(settings);
  let tracker: Ledgerline | undefined;
  const waiting: ((started: Ledgerline) => void)[] = [];
  const call = (each: (started: Ledgerline) => void) => (tracker ? each(tracker) : void waiting.push(each));
  const begin = withoutThrowing(() => {
    const started = (tracker = start(settings));
    for (const each of waiting) each(started);
  });
  document.addEventListener('prerenderingchange', begin, { once: true });
  return forward(call);
}

const forward = (call: (each: (tracker: Ledgerline) => void) => void): Ledgerline => ({
  track: (...event) => call((tracker) => tracker.track(...event)),
  identify: (...person) => call((tracker) => tracker.identify(...person)),
  reset: () => call((tracker) => tracker.reset()),
});

/** By website, of all copies of the script on the page: each website is counted once. */
const trackers = (window.__ledgerline ??= {});
tryOrUndefined(() => {
  for (const settings of readSettings()) trackers[settings.websiteId] ??= startWhenSeen(settings);
});
publish(forward((each) => Object.values(trackers).forEach(each)));
