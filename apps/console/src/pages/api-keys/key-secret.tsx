import type { ApiKeyWithSecretDto } from '@ledgerline/client';
import { CodeBlock } from '../../components/page-parts';
import { SecretDialog } from '../../components/secret-dialog';

interface KeySecretProps {
  readonly created: ApiKeyWithSecretDto;
  readonly onClose: () => void;
}

/** The secret of a key, with how programs send it. */
export const KeySecret = ({ created, onClose }: KeySecretProps) => (
  <SecretDialog created={created} noun="key" onClose={onClose}>
    <p>Programs send it in the header of each request:</p>
    <CodeBlock
      text={`curl -H "x-api-key: ${created.secret}" ${location.origin}/v1/query/websites`}
      label="the command"
    />
    <p className="soft">
      Keep it where secrets are kept: not in pages, apps or repositories. Whoever has it may do what the key allows.
    </p>
  </SecretDialog>
);
