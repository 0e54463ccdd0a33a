import { onCLS, onFCP, onINP, onLCP, onTTFB, type MetricType } from 'web-vitals';
import { publish, type Ledgerline } from './calls';
import { MAX_ERRORS, onError } from './errors';
import { attempt, guarded, warn } from './guarded';
import { onNavigation } from './navigation';
import { openOutbox } from './outbox';
import { onOutgoingLink } from './outgoing-links';
import { PageView } from './page-view';
import { readSettings, type Settings } from './settings';
import { resetVisitorId, visitorId } from './visitor';

function start({ host, websiteId, keepsVisitorId, ignoredErrors }: Settings): Ledgerline {
  const outbox = openOutbox(host, websiteId, visitorId(keepsVisitorId));
  let views = 1;
  let errors = 0;
  let view = new PageView(outbox, document.referrer, views);
  const nextView = (referrer: string) => {
    errors = 0;
    view = new PageView(outbox, referrer, ++views);
  };

  const navigate = () => {
    const before = view.url;
    view.end('navigation');
    nextView(before);
  };
  attempt(() => onNavigation(navigate));
  onOutgoingLink((link) => outbox.add('/batch', { type: 'outgoing_link', path: view.url, ...link }));
  onError(ignoredErrors, (error) => {
    view.engagement.countError();
    if (++errors <= MAX_ERRORS) outbox.add('/errors', { path: view.url, ...error });
  });
  const firstUrl = view.url;
  const report = ({ name, value }: MetricType) =>
    outbox.add('/vitals', { path: firstUrl, metricName: name, metricValue: value });
  for (const on of hasOwnCollections() ? [onCLS, onFCP, onINP, onLCP, onTTFB] : []) attempt(() => on(report));

  const hide = () => document.hidden && outbox.flushByBeacon();
  const leave = () => {
    view.end('unload');
    outbox.flushByBeacon();
  };
  const show = ({ persisted }: PageTransitionEvent) => persisted && nextView(document.referrer);
  addEventListener('visibilitychange', guarded(hide));
  addEventListener('pagehide', guarded(leave));
  addEventListener('pageshow', guarded(show));

  return {
    track: guarded((given, properties) => {
      const name = textOf(given);
      if (name === '') warn('track() needs the name of an event');
      else outbox.add('/batch', { name, path: view.url, properties });
    }),
    identify: guarded((given, traits) => {
      const profileId = textOf(given);
      if (profileId === '') warn('identify() needs the id of a profile');
      else outbox.add('/identify', { profileId, traits });
    }),
    reset: guarded(() => {
      view.end('navigation');
      outbox.setVisitor(resetVisitorId(keepsVisitorId));
      nextView(view.url);
    }),
  };
}

/** `web-vitals` fails later, in the page, where a page has put a class of its own in the place of one of these. */
const hasOwnCollections = (): boolean => [Map, Set, WeakMap].every((each) => /native code/.test(String(each)));

/** A name or an id that a page gives; empty for what is none. */
const textOf = (given: unknown): string => (/obj|un/.test(typeof given) ? '' : String(given).trim());

const nothing: Ledgerline = { track: () => undefined, identify: () => undefined, reset: () => undefined };
const settings = readSettings(document.currentScript as HTMLScriptElement | null);
publish(settings ? start(settings) : nothing);
