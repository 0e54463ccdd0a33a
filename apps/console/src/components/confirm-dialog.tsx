import type { ReactNode } from 'react';
import { messageOf } from '../api/failure';
import { Button } from './button';
import { Dialog } from './dialog';
import { Notice } from './notice';

interface ConfirmDialogProps {
  readonly title: string;
  /** What happens then, and whether it can be undone. */
  readonly children: ReactNode;
  /** What the button says: `Revoke`. */
  readonly action: string;
  readonly isBusy: boolean;
  readonly error: Error | null;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

/** Asks before something that cannot be undone. */
export const ConfirmDialog = (props: ConfirmDialogProps) => (
  <Dialog title={props.title} onClose={props.onClose}>
    <div className="form">
      {props.children}
      {props.error && <Notice tone="danger">{messageOf(props.error)}</Notice>}
      <div className="form-actions">
        <Button onClick={props.onClose}>Cancel</Button>
        <Button variant="danger" isBusy={props.isBusy} onClick={props.onConfirm}>
          {props.action}
        </Button>
      </div>
    </div>
  </Dialog>
);
