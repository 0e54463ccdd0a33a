import type * as Radix from '@radix-ui/react-dropdown-menu';
import { createContext, useContext, useId, useLayoutEffect, useRef, useState, type ReactNode } from 'react';
import { notify } from './toasts';

interface DialogProps {
  readonly title: string;
  readonly className?: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/**
 * A modal dialog while it is rendered. The browser's own element keeps the focus in it, closes it with Escape and gives
 * the focus back; libraries that lock scrolling insert style elements, which our policy forbids.
 */
export function Dialog({ title, className = '', onClose, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    return () => element?.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      className={`dialog ${className}`}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault(); // whoever renders it decides whether it is shown
        onClose();
      }}
    >
      <h2 id={id}>{title}</h2>
      {children}
    </dialog>
  );
}

interface MenuProps {
  /** The words of the button for screen readers, before what it shows. */
  readonly label?: string;
  readonly shown: ReactNode;
  readonly className?: string;
  readonly children: ReactNode;
}

const loadMenu = () => import('@radix-ui/react-dropdown-menu');
const Parts = createContext<typeof Radix | undefined>(undefined);

/**
 * A button that opens a menu of `MenuItem`s, whose code is loaded when it is first opened. Not modal: locking the page
 * inserts style elements, which our policy forbids.
 */
export function Menu({ label, shown, className = '', children }: MenuProps) {
  const [parts, open] = useLoaded(loadMenu);
  const look = `button menu-button ${className}`;
  const face = (
    <>
      {label !== undefined && <span className="visually-hidden">{label}: </span>}
      <span className="menu-text">{shown}</span>
      <span aria-hidden="true">▾</span>
    </>
  );
  if (!parts)
    return (
      <button type="button" className={look} aria-haspopup="menu" aria-expanded={false} onClick={open}>
        {face}
      </button>
    );
  const { Root, Trigger, Content } = parts;
  return (
    <Parts value={parts}>
      <Root modal={false} defaultOpen>
        <Trigger className={look}>{face}</Trigger>
        <Content className="menu" align="start" sideOffset={4} collisionPadding={8}>
          {children}
        </Content>
      </Root>
    </Parts>
  );
}

/** Returns what a menu consists of. @throws Error outside of an opened one */
export function useMenuParts(): typeof Radix {
  const parts = useContext(Parts);
  if (!parts) throw new Error('Items are shown in a Menu only.');
  return parts;
}

interface MenuItemProps {
  /** Without it, the only child is the link that it is. */
  readonly onSelect?: () => void;
  readonly children: ReactNode;
}

export function MenuItem({ onSelect, children }: MenuItemProps) {
  const { Item } = useMenuParts();
  return (
    <Item className="menu-item" asChild={onSelect === undefined} onSelect={onSelect}>
      {children}
    </Item>
  );
}

/** Between groups of items. */
export function MenuLine() {
  const { Separator } = useMenuParts();
  return <Separator className="menu-line" />;
}

interface PopoverProps {
  /** The text of the button. */
  readonly shown: ReactNode;
  /** Tells screen readers what the content is. */
  readonly label: string;
  /** Calls the function that it is given to close the popover, which gives the focus back to the button. */
  readonly children: (close: () => void) => ReactNode;
}

const loadPopover = () => import('@radix-ui/react-popover');

/** A button that opens controls beside it, such as a calendar; their frame is loaded when it is first opened. */
export function Popover({ shown, label, children }: PopoverProps) {
  const [parts, start] = useLoaded(loadPopover);
  const trigger = useRef<HTMLButtonElement>(null);
  const close = () => {
    setOpen(false);
    trigger.current?.focus();
  };
  const [isOpen, setOpen] = useState(true); // as it is when its code has come
  if (!parts)
    return (
      <button type="button" className="button" aria-haspopup="dialog" aria-expanded={false} onClick={start}>
        {shown}
      </button>
    );
  const { Root, Trigger, Content } = parts;
  return (
    <Root open={isOpen} onOpenChange={setOpen}>
      <Trigger ref={trigger} className="button">
        {shown}
      </Trigger>
      <Content className="popover" align="start" sideOffset={4} collisionPadding={8} aria-label={label}>
        {children(close)}
      </Content>
    </Root>
  );
}

/** A module that is not part of the page's first load, and the function that loads it; `load` is a dynamic import. */
function useLoaded<Module extends object>(load: () => Promise<Module>): [Module | undefined, () => void] {
  const [loaded, setLoaded] = useState<Module>();
  const start = () =>
    void load().then(
      (module) => setLoaded(module),
      () => notify('A part of this page cannot be loaded; reload the page'),
    );
  return [loaded, start];
}

interface TooltipProps {
  /** The words of the button for screen readers, where it shows a picture. */
  readonly label?: string;
  /** A sentence or two; nothing that has to be pressed. */
  readonly text: string;
  /** The thing that it explains. */
  readonly children: ReactNode;
}

/** In pixels, from the edges of the window. */
const MARGIN = 8;

/** Explains a word when it is pointed at or has the focus, which stays on the word; Escape hides the explanation. */
export function Tooltip({ label, text, children }: TooltipProps) {
  const id = useId();
  const word = useRef<HTMLButtonElement>(null);
  const [isShown, setShown] = useState(false);
  const show = () => setShown(true);
  const hide = () => setShown(false);
  return (
    <span onPointerEnter={show} onPointerLeave={hide} onFocus={show} onBlur={hide}>
      <button
        ref={word}
        type="button"
        className={label === undefined ? 'explained' : 'explained pictured'}
        aria-label={label}
        aria-describedby={isShown ? id : undefined}
        onClick={show}
        onKeyDown={({ key }) => key === 'Escape' && hide()}
      >
        {children}
      </button>
      {isShown && <Explanation id={id} text={text} word={word} />}
    </span>
  );
}

interface ExplanationProps {
  readonly id: string;
  readonly text: string;
  readonly word: { readonly current: HTMLElement | null };
}

/** Above everything else, so that no table cuts it off; below its word, or above it where there is no room. */
function Explanation({ id, text, word }: ExplanationProps) {
  const explanation = useRef<HTMLSpanElement>(null);
  useLayoutEffect(() => {
    const { current: element } = explanation;
    const place = () => {
      const at = word.current?.getBoundingClientRect();
      if (!element || !at) return;
      const { width, height } = element.getBoundingClientRect();
      const isBelow = at.bottom + height + MARGIN <= window.innerHeight;
      element.style.left = `${Math.max(Math.min(at.left, window.innerWidth - width - MARGIN), MARGIN)}px`;
      element.style.top = `${isBelow ? at.bottom : at.top - height}px`;
    };
    element?.showPopover();
    place();
    window.addEventListener('scroll', place, true);
    return () => window.removeEventListener('scroll', place, true);
  }, [word]);
  return (
    <span ref={explanation} id={id} className="tooltip" role="tooltip" popover="manual">
      {text}
    </span>
  );
}
