import { Engagement } from './engagement';
import type { Outbox } from './outbox';
import { randomId } from './random-id';

/** Without an event for so long a session ends: a page that is looked at after that is viewed again. */
const SESSION_MS = 30 * 60_000;
/** A page that is read for longer says so in time. */
const REPORT_MS = 25 * 60_000;

/** One view of a page: from its address to the next one, or to the end of the document. */
export class PageView {
  readonly url = location.href.split('#', 1)[0] ?? location.href;
  readonly engagement = new Engagement();
  /** Of the engagement, whose last report counts. */
  private readonly id = randomId();
  private reports = 0;
  private reported = '';
  private reportedAt = Date.now();
  private seenAt = Date.now();
  private hasEnded = false;

  constructor(
    private readonly outbox: Outbox,
    referrer: string,
    private readonly index: number,
  ) {
    outbox.add('/batch', {
      name: 'screen_view',
      path: this.url,
      referrer,
      title: document.title,
      language: navigator.language,
      timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
      screen_resolution: `${screen.width}x${screen.height}`,
      viewport_size: `${innerWidth}x${innerHeight}`,
      page_count: index,
    });
  }

  /** Reports leave and engagement up to now, unless that is what was reported last. */
  report(exitType: 'hidden' | 'reading' | 'navigation' | 'unload'): void {
    if (this.hasEnded) return;
    const span = this.engagement.measure();
    const measured = JSON.stringify(span);
    if (measured === this.reported) return;
    this.reported = measured;
    this.reportedAt = this.seenAt = Date.now();
    this.outbox.add('/batch', {
      name: 'page_exit',
      path: this.url,
      time_on_page: span.timeOnPage,
      scroll_depth: span.maxScrollDepth,
      interaction_count: span.interactionCount,
    });
    const report = { eventId: this.id, revision: this.reports++ };
    this.outbox.add('/engagement', { ...report, path: this.url, pageIndex: this.index, exitType, ...span });
  }

  /** Reports for the last time. */
  end(exitType: 'navigation' | 'unload'): void {
    this.report(exitType);
    this.stop();
  }

  stop(): void {
    this.hasEnded = true;
    this.engagement.stop();
  }

  /** To be called when the page gets visible, and from time to time: whether it was looked at without such a break. */
  goesOn(): boolean {
    const now = Date.now();
    const before = this.seenAt;
    this.seenAt = now;
    if (now - before > SESSION_MS) return false;
    if (now - this.reportedAt > REPORT_MS) this.report('reading');
    return true;
  }
}
