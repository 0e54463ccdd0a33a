import { isDead, isRage } from './clicks';
import { describe } from './element';
import { listen } from './guarded';

/** A visitor who did nothing for so long is not active. */
const IDLE_MS = 30_000;

const FIELDS = 'input:not([type=hidden]):not([type=submit]):not([type=button]), select, textarea';

/** What a visitor does on one page view. */
export interface Engagement {
  countError(): void;
  /** Up to now, by the names of the engagement span of the tracking host: seconds, milliseconds, percent. */
  measure(): { readonly timeOnPage: number; readonly maxScrollDepth: number; readonly interactionCount: number };
  stop(): void;
}

/** Begins to measure. */
export function watchEngagement(): Engagement {
  const stopping = new AbortController();
  const { signal } = stopping;
  const startedAt = performance.now();
  let visibleSince = document.hidden ? undefined : startedAt;
  let visibleMs = 0;
  let activeSince = visibleSince;
  let lastActAt = startedAt;
  let activeMs = 0;
  const touched: Element[] = [];
  const clicks: MouseEvent[] = [];
  const span = {
    scrollCount: 0,
    clickCount: 0,
    keyCount: 0,
    copyCount: 0,
    rageClickCount: 0,
    deadClickCount: 0,
    formSubmitCount: 0,
    errorCount: 0,
    maxScrollDepth: scrollDepth(),
    timeToFirstInteraction: undefined as number | undefined,
    rageClickTarget: undefined as string | undefined,
    deadClickTarget: undefined as string | undefined,
    lastFormField: undefined as string | undefined,
  };

  /** Up to now; a visitor is active until {@link IDLE_MS} after the last act. */
  const addTimes = () => {
    const now = performance.now();
    if (visibleSince !== undefined) {
      visibleMs += now - visibleSince;
      visibleSince = now;
    }
    if (activeSince === undefined) return;
    activeMs += Math.max(0, Math.min(now, lastActAt + IDLE_MS) - activeSince);
    activeSince = now;
  };
  const act = () => {
    addTimes();
    lastActAt = performance.now();
    if (visibleSince !== undefined) activeSince = lastActAt;
  };
  const pause = () => {
    addTimes();
    visibleSince = activeSince = undefined;
  };
  const interacted = () => {
    act();
    span.timeToFirstInteraction ??= Math.round(performance.now() - startedAt);
  };

  const listeners: Readonly<Record<string, (event: Event) => void>> = {
    click(event) {
      interacted();
      span.clickCount++;
      clicks.push(event as MouseEvent);
      if (isRage(clicks)) {
        clicks.length = 0;
        span.rageClickCount++;
        span.rageClickTarget = describe(event.target);
      }
      void isDead(event as MouseEvent, signal).then((dead) => {
        if (!dead) return;
        span.deadClickCount++;
        span.deadClickTarget = describe(event.target);
      });
    },
    keydown() {
      interacted();
      span.keyCount++;
    },
    copy() {
      interacted();
      span.copyCount++;
    },
    scroll() {
      act();
      span.scrollCount++;
      span.maxScrollDepth = Math.max(span.maxScrollDepth, scrollDepth());
    },
    focusin({ target }) {
      if (!(target instanceof Element) || !target.matches(FIELDS)) return;
      if (!touched.includes(target)) touched.push(target);
      span.lastFormField = target.getAttribute('name') ?? describe(target);
    },
    submit: () => span.formSubmitCount++,
    visibilitychange() {
      if (document.hidden) pause();
      else {
        visibleSince ??= performance.now();
        act();
      }
    },
    pointermove: act,
    touchstart: act,
  };
  for (const [name, handle] of Object.entries(listeners))
    listen(name as keyof HTMLElementEventMap, handle, { capture: true, passive: true, signal });

  return {
    countError: () => span.errorCount++,
    measure() {
      addTimes();
      return {
        ...span,
        timeOnPage: visibleMs / 1000,
        activeTime: activeMs / 1000,
        interactionCount: span.clickCount + span.keyCount + span.copyCount,
        formFieldCount: touched.length,
      };
    },
    stop() {
      stopping.abort();
      pause();
    },
  };
}

/** Percent of the page above the lower edge of the window. */
function scrollDepth(): number {
  const { scrollHeight } = document.documentElement;
  return scrollHeight === 0 ? 100 : Math.min(100, Math.round(((scrollY + innerHeight) / scrollHeight) * 100));
}
