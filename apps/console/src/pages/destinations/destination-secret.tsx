import type { DestinationWithSecretDto } from '@ledgerline/client';
import { SecretDialog } from '../../components/secret-dialog';

interface DestinationSecretProps {
  readonly created: DestinationWithSecretDto;
  readonly onClose: () => void;
}

/** The secret that signs what a destination gets. */
export const DestinationSecret = ({ created, onClose }: DestinationSecretProps) => (
  <SecretDialog created={created} noun="destination" onClose={onClose}>
    <p>
      It signs every message by <a href="https://www.standardwebhooks.com">Standard Webhooks</a>; the receiver checks
      that with the secret.
    </p>
  </SecretDialog>
);
