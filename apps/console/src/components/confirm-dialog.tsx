import { useState, type ComponentProps, type ReactNode } from 'react';
import { messageOf } from '../api/failure';
import { Button } from './button';
import type { RequestState } from './form';
import { Dialog } from './overlays';
import { Notice } from './states';

interface Confirmation {
  readonly title: string;
  /** Says what happens then, and whether it can be undone. */
  readonly children: ReactNode;
  /** The text of the button: `Revoke`. */
  readonly action: string;
  /** The change that is confirmed. */
  readonly change: RequestState;
  readonly onConfirm: () => void;
}

interface ConfirmDialogProps extends Confirmation {
  readonly onClose: () => void;
}

/** Asks before something that cannot be undone. */
export const ConfirmDialog = ({ title, children, action, change, onConfirm, onClose }: ConfirmDialogProps) => (
  <Dialog title={title} onClose={onClose}>
    <div className="form">
      {children}
      {change.error && <Notice tone="danger">{messageOf(change.error)}</Notice>}
      <div className="form-actions">
        <Button onClick={onClose}>Cancel</Button>
        <Button variant="danger" isBusy={change.isPending} onClick={onConfirm}>
          {action}
        </Button>
      </div>
    </div>
  </Dialog>
);

interface ConfirmedButtonProps extends Confirmation, Pick<ComponentProps<typeof Button>, 'variant' | 'aria-label'> {
  /** The text of the button that asks: `Delete`. */
  readonly text: string;
}

/** A button for something that cannot be undone. */
export function ConfirmedButton({ text, variant, 'aria-label': label, ...confirmation }: ConfirmedButtonProps) {
  const [isAsked, setAsked] = useState(false);
  return (
    <>
      <Button variant={variant} aria-label={label} onClick={() => setAsked(true)}>
        {text}
      </Button>
      {isAsked && <ConfirmDialog {...confirmation} onClose={() => setAsked(false)} />}
    </>
  );
}
