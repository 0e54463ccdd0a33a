import { watchEngagement, type Engagement } from './engagement';
import { tryOrUndefined } from './guarded';
import { toJson } from './json';
import { withoutClick } from './navigation';
import type { Outbox } from './outbox';
import { randomId } from './visitor';

/** Without an event for so long a session ends: a page that is looked at after that is viewed again. */
const SESSION_MS = 30 * 60_000;
/** A page that is read for longer says so in time. */
const REPORT_MS = 25 * 60_000;

/** One view of a page: from its address to the next one, or to the end of the document. */
interface PageView {
  readonly url: string;
  readonly engagement: Engagement;
  /** Reports leave and engagement up to now, unless that is what was reported last. */
  report(exitType: 'hidden' | 'reading' | 'navigation' | 'unload'): void;
  /** Reports for the last time. */
  end(exitType: 'navigation' | 'unload'): void;
  stop(): void;
  /** To be called when the page gets visible, and from time to time: whether it was looked at without such a break. */
  goesOn(): boolean;
}

/** Begins the view of the page with this address, which is the document's view of this number, and names the click that led to it. */
export function openPageView(outbox: Outbox, landing: string, referrer: string, index: number): PageView {
  const url = withoutClick(landing);
  const engagement = watchEngagement();
  /** The id of the engagement, whose last report counts. */
  const id = randomId();
  let reports = 0;
  let reported: string | undefined;
  let reportedAt = Date.now();
  let seenAt = reportedAt;
  let hasEnded = false;

  outbox.add('/batch', {
    name: 'screen_view',
    path: landing,
    referrer,
    title: document.title,
    language: navigator.language,
    timezone: tryOrUndefined(() => Intl.DateTimeFormat().resolvedOptions().timeZone),
    screen_resolution: tryOrUndefined(() => `${screen.width}x${screen.height}`),
    viewport_size: `${innerWidth}x${innerHeight}`,
  });

  const report: PageView['report'] = (exitType) => {
    const span = engagement.measure();
    const measured = toJson(() => span, 256);
    if (hasEnded || measured === reported) return;
    reported = measured;
    seenAt = Date.now();
    reportedAt = seenAt;
    outbox.add('/batch', {
      name: 'page_exit',
      path: url,
      time_on_page: span.timeOnPage,
      scroll_depth: span.maxScrollDepth,
      interaction_count: span.interactionCount,
    });
    outbox.add('/engagement', { eventId: id, revision: reports++, path: url, pageIndex: index, exitType, ...span });
  };
  const stop = () => {
    hasEnded = true;
    engagement.stop();
  };
  const goesOn = () => {
    const before = seenAt;
    seenAt = Date.now();
    if (seenAt - before > SESSION_MS) return false;
    if (seenAt - reportedAt > REPORT_MS) report('reading');
    return true;
  };
  const end: PageView['end'] = (exitType) => {
    report(exitType);
    stop();
  };
  return { url, engagement, report, end, stop, goesOn };
}
