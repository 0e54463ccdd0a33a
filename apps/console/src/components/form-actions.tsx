import type { ComponentProps, ReactNode } from 'react';
import { Button } from './button';

interface FormActionsProps extends Pick<ComponentProps<typeof Button>, 'variant' | 'isBusy'> {
  /** What the button says that sends the form. */
  readonly submit: ReactNode;
  /** Closes the dialog that the form is in. */
  readonly onCancel?: () => void;
}

/** The end of a form. */
export const FormActions = ({ submit, onCancel, ...button }: FormActionsProps) => (
  <div className="form-actions">
    {onCancel && <Button onClick={onCancel}>Cancel</Button>}
    <Button type="submit" {...button}>
      {submit}
    </Button>
  </div>
);
