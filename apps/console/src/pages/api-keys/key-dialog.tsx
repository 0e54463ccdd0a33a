import type { ApiKeyDto } from '@ledgerline/client';
import { useEndApiKey, useRotateApiKey } from '../../api/api-keys';
import { ConfirmDialog } from '../../components/confirm-dialog';
import { notify } from '../../components/toasts';
import { SecretDialog } from './secret-dialog';

/** What is about to be done with a key. */
export interface KeyQuestion {
  readonly kind: 'rotate' | 'revoke' | 'delete';
  readonly apiKey: ApiKeyDto;
}

const TEXTS = {
  rotate: {
    title: 'New secret for',
    action: 'Make a new secret',
    text: 'The old secret is refused at once, everywhere. Programs that use it fail until they have the new one.',
  },
  revoke: {
    title: 'Revoke',
    action: 'Revoke key',
    text: 'The key is refused at once, everywhere, and for good. It stays in this list. Disable it instead if it may be needed again.',
  },
  delete: {
    title: 'Delete',
    action: 'Delete key',
    text: 'The key is refused at once, everywhere, and leaves this list. The audit log keeps what it did.',
  },
} as const;

/** Asks first, as programs may depend on the key; a new secret is shown then. */
export function KeyDialog({ kind, apiKey: { id, name }, onClose }: KeyQuestion & { readonly onClose: () => void }) {
  const rotateKey = useRotateApiKey();
  const endKey = useEndApiKey();
  const { title, action, text } = TEXTS[kind];
  const confirm = () => {
    if (kind === 'rotate') rotateKey.mutate(id);
    else
      endKey.mutate(
        { id, how: kind },
        {
          onSuccess: () => {
            notify(`${name} is refused from now on`);
            onClose();
          },
        },
      );
  };
  if (rotateKey.data) return <SecretDialog created={rotateKey.data} onClose={onClose} />;
  return (
    <ConfirmDialog
      title={`${title} ${name}?`}
      action={action}
      isBusy={rotateKey.isPending || endKey.isPending}
      error={rotateKey.error ?? endKey.error}
      onConfirm={confirm}
      onClose={onClose}
    >
      <p>{text}</p>
    </ConfirmDialog>
  );
}
