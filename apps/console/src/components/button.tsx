import type { ButtonHTMLAttributes } from 'react';

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
