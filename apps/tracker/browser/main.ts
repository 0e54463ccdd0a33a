import { onCLS, onFCP, onINP, onLCP, onTTFB, type MetricType } from 'web-vitals';
import { MAX_ERRORS, onError } from './errors';
import { onNavigation } from './navigation';
import { Outbox, type Item } from './outbox';
import { onOutgoingLink } from './outgoing-links';
import { PageView } from './page-view';
import { readSettings, type Settings } from './settings';
import { visitorId } from './visitor';

/** What a page's own code may call; it does nothing for visitors who do not want to be counted. */
interface Ledgerline {
  track(name: string, properties?: Item): void;
  identify(profileId: string, traits?: Item): void;
}

function start({ host, websiteId, keepsVisitorId }: Settings): Ledgerline {
  const outbox = new Outbox(host, websiteId, visitorId(keepsVisitorId));
  let views = 1;
  let errors = 0;
  let view = new PageView(outbox, document.referrer, views);
  const nextView = (referrer: string) => {
    errors = 0;
    view = new PageView(outbox, referrer, ++views);
  };

  onNavigation(() => {
    const before = view.url;
    view.end('navigation');
    nextView(before);
  });
  onOutgoingLink((link) => outbox.add('/batch', { type: 'outgoing_link', path: view.url, ...link }));
  onError((error) => {
    view.engagement.countError();
    if (++errors <= MAX_ERRORS) outbox.add('/errors', { path: view.url, ...error });
  });
  const firstUrl = view.url;
  const report = ({ name, value }: MetricType) =>
    outbox.add('/vitals', { path: firstUrl, metricName: name, metricValue: value });
  for (const on of [onCLS, onFCP, onINP, onLCP, onTTFB]) on(report);

  addEventListener('visibilitychange', () => document.hidden && outbox.flushByBeacon());
  addEventListener('pagehide', () => {
    view.end('unload');
    outbox.flushByBeacon();
  });
  addEventListener('pageshow', ({ persisted }) => persisted && nextView(document.referrer));

  return {
    track: (name, properties) => outbox.add('/batch', { name, path: view.url, properties }),
    identify: (profileId, traits) => outbox.add('/identify', { profileId, traits }),
  };
}

const nothing: Ledgerline = { track: () => undefined, identify: () => undefined };
const settings = readSettings(document.currentScript as HTMLScriptElement | null);
Object.assign(window, { ledgerline: settings ? start(settings) : nothing });
