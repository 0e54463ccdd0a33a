/** What takes the focus of something that was in it. */
const FOCUSABLE = '[tabindex]';

/**
 * Gives the focus of an element that is removed to what surrounded it: the table of a deleted row, the page of a form.
 * A browser drops it, and keyboards and screen readers would begin anew.
 */
export function keepFocus(root: HTMLElement): void {
  /** The element with the focus, and those around it. */
  let path: readonly HTMLElement[] = [];
  root.addEventListener('focusin', ({ target }) => {
    path = target instanceof HTMLElement ? withAncestors(target) : [];
  });
  root.addEventListener('focusout', ({ target }) => {
    // of an element that stays, a click beside it takes the focus away
    setTimeout(() => {
      const [element] = path;
      if (element === target && element.isConnected && document.activeElement === document.body) path = [];
    });
  });
  const isLost = () => path.length > 0 && !path[0]?.isConnected && document.activeElement === document.body;
  const restore = () => {
    if (isLost()) path.find((each) => each.isConnected && each.matches(FOCUSABLE))?.focus({ preventScroll: true });
  };
  new MutationObserver(() => {
    if (isLost()) requestAnimationFrame(restore); // what closes, such as a menu, gives it back before
  }).observe(root, { childList: true, subtree: true });
}

function withAncestors(element: HTMLElement): HTMLElement[] {
  const path: HTMLElement[] = [];
  for (let each: HTMLElement | null = element; each; each = each.parentElement) path.push(each);
  return path;
}
