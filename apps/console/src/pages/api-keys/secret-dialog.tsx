import type { ApiKeyWithSecretDto } from '@ledgerline/client';
import { Button } from '../../components/button';
import { Dialog } from '../../components/overlays';
import { CodeBlock } from '../../components/page-parts';
import { Notice } from '../../components/states';

interface SecretDialogProps {
  readonly created: ApiKeyWithSecretDto;
  readonly onClose: () => void;
}

/** Shows a secret, once; of a request that was repeated, that it was lost with the first answer. */
export const SecretDialog = ({ created: { name, secret }, onClose }: SecretDialogProps) =>
  secret === null ? (
    <LostSecret name={name} onClose={onClose} />
  ) : (
    <Secret name={name} secret={secret} onClose={onClose} />
  );

const LostSecret = ({ name, onClose }: { readonly name: string; readonly onClose: () => void }) => (
  <Dialog title={`The secret of ${name}`} onClose={onClose}>
    <div className="form">
      <Notice tone="warning">
        The key has this secret since your first try, whose answer was lost; nobody can look it up. Rotate it in the
        list of keys.
      </Notice>
      <div className="form-actions">
        <Button variant="primary" onClick={onClose}>
          Close
        </Button>
      </div>
    </div>
  </Dialog>
);

/** Escape does not close it, as the secret would be lost. */
const Secret = ({
  name,
  secret,
  onClose,
}: {
  readonly name: string;
  readonly secret: string;
  readonly onClose: () => void;
}) => (
  <Dialog title={`The secret of ${name}`} onClose={() => undefined}>
    <div className="form">
      <Notice tone="warning">
        Copy it now: it is shown this once. Only its first characters are kept to recognise it, so nobody can look it up
        later.
      </Notice>
      <CodeBlock text={secret} label="the secret" />
      <p>Programs send it in the header of each request:</p>
      <CodeBlock text={`curl -H "x-api-key: ${secret}" ${location.origin}/v1/query/websites`} label="the command" />
      <p className="soft">
        Keep it where secrets are kept: not in pages, apps or repositories. Whoever has it may do what the key allows.
      </p>
      <div className="form-actions">
        <Button variant="primary" onClick={onClose}>
          Done
        </Button>
      </div>
    </div>
  </Dialog>
);
