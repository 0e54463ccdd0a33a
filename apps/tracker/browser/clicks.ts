const RAGE_CLICKS = 3;
const RAGE_MS = 1_000;
const RAGE_PIXELS = 30;

/** The last clicks are of one place within a second. */
export function isRage(clicks: readonly MouseEvent[]): boolean {
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
export function isDead({ target }: MouseEvent, signal: AbortSignal): Promise<boolean> {
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
