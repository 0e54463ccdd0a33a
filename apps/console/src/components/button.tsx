import type { ButtonHTMLAttributes } from 'react';

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly variant?: 'primary' | 'secondary' | 'quiet' | 'danger';
  /** Under way: it cannot be pressed again. */
  readonly isBusy?: boolean;
}

/** A button that submits nothing unless its type is `submit`. */
export const Button = ({ variant = 'secondary', isBusy = false, children, className = '', ...rest }: ButtonProps) => (
  <button
    type="button"
    {...rest}
    className={`button ${variant} ${className}`}
    disabled={isBusy || rest.disabled}
    aria-busy={isBusy}
  >
    {children}
  </button>
);
