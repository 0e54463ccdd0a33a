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
  /** How often each metric was reported, by its id, and those of an earlier session or visitor, which are not reported again. */
  const reports: Record<string, number> = {};
  let past: string[] = [];
  const report = ({ name, value, id }: MetricType) => {
    if (past.includes(id)) return;
    const revision = (reports[id] = (reports[id] ?? -1) + 1);
    outbox.add('/vitals', { eventId: id, revision, path: firstUrl, metricName: name, metricValue: value });
  };
  for (const on of [onCLS, onFCP, onINP, onLCP, onTTFB]) on(report);

  const goOn = () => {
    if (document.hidden || view.goesOn()) return;
    view.stop();
    past = Object.keys(reports);
    nextView(document.referrer);
  };
  setInterval(goOn, 60_000);
  addEventListener('visibilitychange', () => {
    goOn();
    if (!document.hidden) return;
    view.report('hidden');
    outbox.flushByBeacon();
  });
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
      past = Object.keys(reports);
      visitor = resetVisitorId(keepsVisitorId);
      nextView(view.url);
    },
  };
}

/** A page that is rendered ahead is counted when somebody sees it; what its own code calls waits for that. */
function startWhenSeen(settings: Settings): Ledgerline {
  if (!(document as Document & { prerendering?: boolean }).prerendering) return start(settings);
  let tracker: Ledgerline | undefined;
  const waiting: ((started: Ledgerline) => void)[] = [];
  const call = (each: (started: Ledgerline) => void) => (tracker ? each(tracker) : void waiting.push(each));
  const begin = () => {
    const started = (tracker = start(settings));
    for (const each of waiting) each(started);
  };
  document.addEventListener('prerenderingchange', begin, { once: true });
  return forward(call);
}

const forward = (call: (each: (tracker: Ledgerline) => void) => void): Ledgerline => ({
  track: (...event) => call((tracker) => tracker.track(...event)),
  identify: (...person) => call((tracker) => tracker.identify(...person)),
  reset: () => call((tracker) => tracker.reset()),
});

/** By website, of all copies of the script on the page: each website is counted once. */
const trackers = ((window as { __ledgerline?: Record<string, Ledgerline> }).__ledgerline ??= {});
for (const settings of readSettings()) trackers[settings.websiteId] ??= startWhenSeen(settings);
publish(forward((each) => Object.values(trackers).forEach(each)));
