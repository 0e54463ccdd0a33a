import type { ReactNode } from 'react';
import { Button } from './button';
import { Dialog } from './overlays';
import { CodeBlock } from './page-parts';
import { Notice } from './states';

interface SecretDialogProps {
  /** The owner of the secret; the secret is null when an earlier request has made it, whose answer was lost. */
  readonly created: { readonly name: string; readonly secret: string | null };
  /** The word for its owner: `key`. */
  readonly noun: string;
  /** Says how the secret is used. */
  readonly children: ReactNode;
  readonly onClose: () => void;
}

/** Shows a secret, once: Escape does not close it, as the secret would be lost. */
export const SecretDialog = ({ created: { name, secret }, noun, children, onClose }: SecretDialogProps) => (
  <Dialog title={`The secret of ${name}`} onClose={secret === null ? onClose : () => undefined}>
    <div className="form">
      {secret === null ? (
        <Notice tone="warning">
          The {noun} has this secret since your first try, whose answer was lost; nobody can look it up. Rotate it.
        </Notice>
      ) : (
        <>
          <Notice tone="warning">Copy it now: it is shown this once, and nobody can look it up later.</Notice>
          <CodeBlock text={secret} label="the secret" />
          {children}
        </>
      )}
      <div className="form-actions">
        <Button variant="primary" onClick={onClose}>
          {secret === null ? 'Close' : 'Done'}
        </Button>
      </div>
    </div>
  </Dialog>
);
