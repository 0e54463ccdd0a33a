import { listen } from './guarded';

/** A visitor who did nothing for so long is not active. */
const IDLE_MS = 30_000;

const FIELDS = 'input:not([type=hidden]):not([type=submit]):not([type=button]), select, textarea';

/** The engagement of a visitor with one page view. */
export interface Engagement {
  countError(): void;
  /** Up to now, by the names of the engagement span of the tracking host: seconds, milliseconds, percent. */
  measure(): { readonly timeOnPage: number; readonly maxScrollDepth: number; readonly interactionCount: number };
  stop(): void;
}

/** The facts of a span beside its counts, as far as there are any. */
interface Seen {
  timeToFirstInteraction?: number;
  rageClickTarget?: string;
  deadClickTarget?: string;
  lastFormField?: string;
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
  };
  const seen: Seen = {};

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
    visibleSince = undefined;
    activeSince = undefined;
  };
  const interacted = () => {
    act();
    seen.timeToFirstInteraction ??= Math.round(performance.now() - startedAt);
  };

  const listeners: Readonly<Record<string, (event: Event) => void>> = {
    click(event) {
      interacted();
      span.clickCount++;
      clicks.push(event as MouseEvent);
      if (isRage(clicks)) {
        clicks.length = 0;
        span.rageClickCount++;
        seen.rageClickTarget = describe(event.target);
      }
      void isDead(event as MouseEvent, signal).then((dead) => {
        if (!dead) return;
        span.deadClickCount++;
        seen.deadClickTarget = describe(event.target);
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
      seen.lastFormField = target.getAttribute('name') ?? describe(target);
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
        ...seen,
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

const RAGE_CLICKS = 3;
const RAGE_MS = 1_000;
const RAGE_PIXELS = 30;

/** The last clicks are of one place within a second. */
function isRage(clicks: readonly MouseEvent[]): boolean {
  const last = clicks.slice(-RAGE_CLICKS);
  const [first] = last;
  if (!first || last.length < RAGE_CLICKS) return false;
  return last.every(
    ({ timeStamp, clientX, clientY }) =>
      timeStamp - first.timeStamp <= RAGE_MS &&
      Math.hypot(clientX - first.clientX, clientY - first.clientY) <= RAGE_PIXELS,
  );
}

/** Within this time something must happen. */
const EFFECT_MS = 600;
const LOOKS_CLICKABLE =
  'a, button, summary, [role=button], [role=link], [onclick], input[type=submit], input[type=button]';
const LEAVES = 'a[href], [target]';

/** A click on what looks clickable, after which the document does not change, no field gets the focus and nothing scrolls. */
function isDead({ target }: MouseEvent, signal: AbortSignal): Promise<boolean> {
  const clickable = target instanceof Element ? target.closest(LOOKS_CLICKABLE) : null;
  if (!clickable || clickable.matches(LEAVES)) return Promise.resolve(false);
  return new Promise((resolve) => {
    const observer = new MutationObserver(() => end(false));
    const listening = new AbortController();
    const timer = setTimeout(() => end(true), EFFECT_MS);
    const end = (dead: boolean) => {
      clearTimeout(timer);
      observer.disconnect();
      listening.abort();
      resolve(dead);
    };
    observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
    const options = { capture: true, signal: listening.signal };
    for (const name of ['scroll', 'submit', 'change', 'pagehide']) addEventListener(name, () => end(false), options);
    signal.addEventListener('abort', () => end(false), options);
  });
}

/** An element as a short selector, without any text a visitor has entered. */
function describe(target: EventTarget | null): string {
  if (!(target instanceof Element)) return 'document';
  const [firstClass] = target.classList;
  const id = target.id ? `#${target.id}` : firstClass ? `.${firstClass}` : '';
  return `${target.tagName.toLowerCase()}${id}`.slice(0, 200);
}
