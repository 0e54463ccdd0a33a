import type { ComponentProps, ReactNode } from 'react';
import { Button } from './button';
import { FormEnd } from './form';

interface FormActionsProps extends Pick<ComponentProps<typeof Button>, 'variant' | 'isBusy' | 'disabled'> {
  /** What the button says that sends the form. */
  readonly submit: ReactNode;
  /** Closes the dialog that the form is in. */
  readonly onCancel?: () => void;
  /** Beside the button. */
  readonly children?: ReactNode;
}

/** The end of a form with one button that sends it. */
export const FormActions = ({ submit, onCancel, children, ...button }: FormActionsProps) => (
  <FormEnd>
    {onCancel && <Button onClick={onCancel}>Cancel</Button>}
    <Button type="submit" {...button}>
      {submit}
    </Button>
    {children}
  </FormEnd>
);
