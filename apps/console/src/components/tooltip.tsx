import { useId, useLayoutEffect, useRef, useState, type ReactNode } from 'react';

interface TooltipProps {
  /** A sentence or two; nothing that has to be pressed. */
  readonly text: string;
  /** What it explains. */
  readonly children: ReactNode;
}

/** In pixels, from the edges of the window. */
const MARGIN = 8;

/** Explains a word when it is pointed at or has the focus, which stays on the word; Escape hides the explanation. */
export function Tooltip({ text, children }: TooltipProps) {
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
        className="explained"
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
