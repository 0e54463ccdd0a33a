import type { IconNode } from 'lucide';
import { type ButtonHTMLAttributes, createElement } from 'react';
import { notify } from './toasts';

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly variant?: 'primary' | 'secondary' | 'quiet' | 'danger';
  /** Under way: it cannot be pressed again. */
  readonly isBusy?: boolean;
}

/**
 * A button that submits nothing unless its type is `submit`. While it cannot be pressed it keeps the focus, which
 * browsers take from buttons that are `disabled`.
 */
export function Button({ variant = 'secondary', isBusy = false, className = '', disabled, ...rest }: ButtonProps) {
  const isOff = isBusy || disabled === true;
  return (
    <button
      type="button"
      {...rest}
      className={`button ${variant} ${className}`}
      aria-disabled={isOff || undefined}
      aria-busy={isBusy}
      onClick={isOff ? (event) => event.preventDefault() : rest.onClick}
    />
  );
}

interface CopyButtonProps {
  readonly text: string;
  /** The name of what is copied: `the id of Shop`. */
  readonly label: string;
}

/** Puts a text on the clipboard. */
export function CopyButton({ text, label }: CopyButtonProps) {
  const copy = () =>
    copyText(text).then(
      () => notify(`Copied ${label}`),
      () => notify('The browser does not allow copying; select the text instead'),
    );
  return (
    <Button variant="quiet" aria-label={`Copy ${label}`} onClick={() => void copy()}>
      Copy
    </Button>
  );
}

/** Has the browser save something of a media type as a file. */
export function saveFile(name: string, content: string | Blob, type: string): void {
  const anchor = document.createElement('a');
  anchor.href = URL.createObjectURL(new Blob([content], { type }));
  anchor.download = name;
  anchor.click();
  setTimeout(() => URL.revokeObjectURL(anchor.href));
}

/** Puts a text on the clipboard. Rejects over http at another host, too, where browsers have none for scripts. */
export const copyText = async (text: string): Promise<void> => navigator.clipboard.writeText(text);

/** A picture beside a word that says the same, in the colour of the word. */
export const Icon = ({ of }: { readonly of: IconNode }) => (
  <svg className="icon" viewBox="0 0 24 24" aria-hidden="true">
    {of.map(([tag, attributes], at) => createElement(tag, { key: at, ...attributes }))}
  </svg>
);
