/** Elements that come and go beside others of their kind. */
const ROW = 'tbody > tr:not([aria-hidden]), article, fieldset > fieldset, [data-row]';
const CONTROL = ':is(a[href], button, input, select, textarea, summary)';
/** Elements that a control opens; the focus in it counts as that of the control. */
const OPENED = 'dialog, [role=menu]';
/** Menus and popovers take the focus when they open, and give it back. */
const TAKES_FOCUS = '[data-radix-popper-content-wrapper]';
/** Where the focus goes when nothing of a list is left: the way to a new entry, or the heading. */
const BESIDE = [':is(.actions, .state) .primary', 'h1, h2'];

/** Where the focus was, and what is around it. */
interface Place {
  readonly element: HTMLElement;
  readonly page: string;
  /** From the inside to the outside. */
  readonly around: readonly HTMLElement[];
  readonly row: HTMLElement | null;
  readonly rowAt: number;
  readonly controlAt: number;
  readonly text: string | null;
  /** The place of the control that opened the dialog or menu. */
  readonly opener: Place | undefined;
}

/**
 * Keeps the focus where its element is removed, which browsers give to the body then: the same control of the row that
 * takes its place gets it, else what stands beside the list. Opened pages take the focus themselves.
 */
export function keepFocus(root: HTMLElement): void {
  let last: Place | undefined;
  document.addEventListener('focusin', ({ target }) => {
    if (target instanceof HTMLElement) last = placeOf(target, last);
  });
  document.addEventListener('pointerdown', ({ target }) => {
    if (target instanceof Element && !target.closest(`${CONTROL}, ${OPENED}`)) last = undefined;
  });
  let isDue = false;
  new MutationObserver(() => {
    if (isDue || !isLost(last)) return;
    isDue = true;
    requestAnimationFrame(() => {
      isDue = false;
      if (isLost(last)) successor(last)?.focus();
    });
  }).observe(root, { childList: true, subtree: true });
}

const isLost = (place: Place | undefined): place is Place =>
  place !== undefined &&
  document.activeElement === document.body &&
  !place.element.isConnected &&
  document.querySelector(TAKES_FOCUS) === null &&
  place.page === location.pathname;

function placeOf(element: HTMLElement, before: Place | undefined): Place {
  const row = element.closest<HTMLElement>(ROW);
  const opened = element.closest(OPENED);
  const isInside = before !== undefined && opened !== null && opened === before.element.closest(OPENED);
  return {
    element,
    page: location.pathname,
    around: ancestorsOf(element),
    row,
    rowAt: row ? rowsBeside(row).indexOf(row) : -1,
    controlAt: row ? controlsIn(row).indexOf(element) : -1,
    text: element.textContent,
    opener: opened === null ? undefined : isInside ? before.opener : before,
  };
}

function ancestorsOf({ parentElement }: HTMLElement): HTMLElement[] {
  return parentElement ? [parentElement, ...ancestorsOf(parentElement)] : [];
}

const rowsBeside = ({ parentElement }: HTMLElement): HTMLElement[] =>
  [...(parentElement?.children ?? [])].filter((child) => child.matches(ROW)) as HTMLElement[];

const controlsIn = (row: HTMLElement): HTMLElement[] =>
  [...row.querySelectorAll<HTMLElement>(CONTROL)].filter((control) => !control.closest(OPENED));

/** Returns what gets the focus of an element that is gone. */
function successor(place: Place): HTMLElement | undefined {
  const { opener, around } = place;
  if (opener) return opener.element.isConnected ? opener.element : successor(opener);
  const inRow = controlOfRow(place);
  if (inRow) return inRow;
  const kept = around.filter(({ isConnected }) => isConnected);
  const beside = kept
    .flatMap((each) => BESIDE.map((selector) => each.querySelector<HTMLElement>(selector)))
    .find((found) => found !== null);
  if (beside && !beside.matches(CONTROL)) beside.tabIndex = -1;
  return beside ?? kept[0];
}

/** Returns the same control of the row, or of the one that has taken its place; undefined where its list is gone. */
function controlOfRow({ around, row, rowAt, controlAt, text }: Place): HTMLElement | undefined {
  const list = row ? around[around.indexOf(row) + 1] : undefined;
  if (!row || !list?.isConnected) return undefined;
  const rows = [...list.children].filter((child) => child.matches(ROW)) as HTMLElement[];
  const next = row.isConnected ? row : (rows[rowAt] ?? rows[rowAt - 1]);
  const controls = next ? controlsIn(next) : [];
  const same = controls.find(({ textContent }) => textContent === text && text !== '');
  return same ?? controls[controlAt] ?? controls.at(-1);
}
