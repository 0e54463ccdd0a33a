import { isDead, isRage } from './clicks';
import { describe } from './element';

/** A visitor who did nothing for so long is not active. */
const IDLE_MS = 30_000;

const FIELDS = 'input:not([type=hidden]):not([type=submit]):not([type=button]), select, textarea';

/** What a visitor does on one page view; the fields are those of the engagement span of the tracking host. */
export class Engagement {
  private readonly stopping = new AbortController();
  private readonly startedAt = performance.now();
  private visibleSince = document.hidden ? undefined : performance.now();
  private visibleMs = 0;
  private activeSince = this.visibleSince;
  private lastActAt = performance.now();
  private activeMs = 0;
  private firstInteractionAt: number | undefined;
  private readonly touched: Element[] = [];
  private readonly clicks: MouseEvent[] = [];
  private readonly counts = {
    scrollCount: 0,
    clickCount: 0,
    keyCount: 0,
    copyCount: 0,
    rageClickCount: 0,
    deadClickCount: 0,
    formSubmitCount: 0,
    errorCount: 0,
  };
  private maxScrollDepth = scrollDepth();
  private readonly texts: { rageClickTarget?: string; deadClickTarget?: string; lastFormField?: string } = {};

  constructor() {
    this.on(document, 'click', (event) => this.clicked(event as MouseEvent));
    this.on(document, 'keydown', () => this.interacted('keyCount'));
    this.on(document, 'copy', () => this.interacted('copyCount'));
    this.on(window, 'scroll', () => this.scrolled());
    this.on(document, 'focusin', ({ target }) => this.focused(target));
    this.on(document, 'submit', () => this.counts.formSubmitCount++);
    this.on(document, 'visibilitychange', () => (document.hidden ? this.pause() : this.resume()));
    for (const name of ['pointermove', 'touchstart']) this.on(document, name, () => this.act());
  }

  countError(): void {
    this.counts.errorCount++;
  }

  stop(): void {
    this.stopping.abort();
    this.pause();
  }

  /** Up to now: seconds, milliseconds until the first interaction, percent. */
  measure() {
    this.addTimes();
    const { clickCount, keyCount, copyCount } = this.counts;
    return {
      ...this.counts,
      ...this.texts,
      timeOnPage: this.visibleMs / 1000,
      activeTime: this.activeMs / 1000,
      timeToFirstInteraction: this.firstInteractionAt,
      maxScrollDepth: this.maxScrollDepth,
      interactionCount: clickCount + keyCount + copyCount,
      formFieldCount: this.touched.length,
    };
  }

  private on(target: EventTarget, name: string, listen: (event: Event) => void): void {
    target.addEventListener(name, listen, { capture: true, passive: true, signal: this.stopping.signal });
  }

  private clicked(event: MouseEvent): void {
    this.interacted('clickCount');
    this.clicks.push(event);
    if (isRage(this.clicks)) {
      this.clicks.length = 0;
      this.counts.rageClickCount++;
      this.texts.rageClickTarget = describe(event.target);
    }
    void isDead(event, this.stopping.signal).then((dead) => {
      if (!dead) return;
      this.counts.deadClickCount++;
      this.texts.deadClickTarget = describe(event.target);
    });
  }

  private focused(target: EventTarget | null): void {
    if (!(target instanceof Element) || !target.matches(FIELDS)) return;
    if (!this.touched.includes(target)) this.touched.push(target);
    this.texts.lastFormField = target.getAttribute('name') ?? describe(target);
  }

  private scrolled(): void {
    this.act();
    this.counts.scrollCount++;
    this.maxScrollDepth = Math.max(this.maxScrollDepth, scrollDepth());
  }

  private interacted(count: 'clickCount' | 'keyCount' | 'copyCount'): void {
    this.act();
    this.counts[count]++;
    this.firstInteractionAt ??= Math.round(performance.now() - this.startedAt);
  }

  private act(): void {
    this.addTimes();
    this.lastActAt = performance.now();
    if (this.visibleSince !== undefined) this.activeSince = this.lastActAt;
  }

  private resume(): void {
    this.visibleSince ??= performance.now();
    this.act();
  }

  private pause(): void {
    this.addTimes();
    this.visibleSince = this.activeSince = undefined;
  }

  /** Up to now; a visitor is active until {@link IDLE_MS} after the last act. */
  private addTimes(): void {
    const now = performance.now();
    if (this.visibleSince !== undefined) {
      this.visibleMs += now - this.visibleSince;
      this.visibleSince = now;
    }
    if (this.activeSince === undefined) return;
    const until = Math.min(now, this.lastActAt + IDLE_MS);
    this.activeMs += Math.max(0, until - this.activeSince);
    this.activeSince = now;
  }
}

/** Percent of the page above the lower edge of the window. */
function scrollDepth(): number {
  const { scrollHeight } = document.documentElement;
  return scrollHeight === 0 ? 100 : Math.min(100, Math.round(((scrollY + innerHeight) / scrollHeight) * 100));
}
