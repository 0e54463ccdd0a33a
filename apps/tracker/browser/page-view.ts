import { Engagement } from './engagement';
import { attempt } from './guarded';
import type { Outbox } from './outbox';

/** One view of a page: from its address to the next one, or to the end of the document. */
export class PageView {
  readonly url = location.href.split('#', 1)[0] ?? location.href;
  readonly engagement = new Engagement();
  private readonly startedAt = performance.now();
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
      timezone: attempt(() => Intl.DateTimeFormat().resolvedOptions().timeZone),
      screen_resolution: attempt(() => `${screen.width}x${screen.height}`),
      viewport_size: `${innerWidth}x${innerHeight}`,
      page_count: index,
    });
  }

  /** Reports the leave and the engagement, once. */
  end(exitType: 'navigation' | 'unload'): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    const seconds = (performance.now() - this.startedAt) / 1000;
    const span = this.engagement.end();
    this.outbox.add('/batch', {
      name: 'page_exit',
      path: this.url,
      time_on_page: seconds,
      scroll_depth: span.maxScrollDepth,
      interaction_count: span.interactionCount,
    });
    this.outbox.add('/engagement', { path: this.url, pageIndex: this.index, exitType, timeOnPage: seconds, ...span });
  }
}
