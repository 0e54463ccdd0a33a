import { onCLS, onFCP, onINP, onLCP, onTTFB, type MetricType } from 'web-vitals';
import { publish, type Ledgerline } from './calls';
import { MAX_ERRORS, onError } from './errors';
import { onNavigation } from './navigation';
import { Outbox } from './outbox';
import { onOutgoingLink } from './outgoing-links';
import { PageView } from './page-view';
import { readSettings, type Settings } from './settings';
import { profileIdOf, resetVisitorId, visitorId } from './visitor';

function start({ host, websiteId, keepsVisitorId }: Settings): Ledgerline {
  let visitor = visitorId(keepsVisitorId);
  const outbox = new Outbox(host, websiteId, () => visitor);
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
    identify(person, traits) {
      const profileId = profileIdOf(person);
      if (profileId === undefined) console.warn('ledgerline.identify needs the id of a person, as text or number.');
      else outbox.add('/identify', { profileId, traits });
    },
    reset() {
      view.end('navigation');
      visitor = resetVisitorId(keepsVisitorId);
      nextView(view.url);
    },
  };
}

const nothing: Ledgerline = { track: () => undefined, identify: () => undefined, reset: () => undefined };
const settings = readSettings(document.currentScript as HTMLScriptElement | null);
publish(settings ? start(settings) : nothing);
