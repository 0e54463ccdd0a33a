import type { FlagDto } from '@ledgerline/client';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { messageOf } from '../../api/failure';
import { useChangeFlag, useDeleteFlag } from '../../api/flags';
import { Button } from '../../components/button';
import { ConfirmDialog } from '../../components/confirm-dialog';
import { notify } from '../../components/toasts';

/** Archiving, which can be undone, and deletion. */
export function FlagActions({ flag }: { readonly flag: FlagDto }) {
  const [isAsked, setAsked] = useState(false);
  const change = useChangeFlag(flag.id);
  const deletion = useDeleteFlag(flag.id);
  const navigate = useNavigate();
  const isArchived = flag.status === 'archived';
  const archive = () =>
    change.mutate(
      { status: isArchived ? 'active' : 'archived' },
      {
        onSuccess: () => notify(isArchived ? 'The flag is active' : 'The flag is archived'),
        onError: (error) => notify(messageOf(error)),
      },
    );
  const params = { organizationId: flag.organizationId };
  const remove = () =>
    deletion.mutate(undefined, {
      onSuccess: () => void navigate({ to: '/organizations/$organizationId/flags', params }),
    });
  return (
    <>
      <Button isBusy={change.isPending} onClick={archive}>
        {isArchived ? 'Activate' : 'Archive'}
      </Button>
      <Button onClick={() => setAsked(true)}>Delete</Button>
      {isAsked && (
        <ConfirmDialog
          title={`Delete ${flag.name}?`}
          action="Delete"
          isBusy={deletion.isPending}
          error={deletion.error}
          onConfirm={remove}
          onClose={() => setAsked(false)}
        >
          <p>Clients do not find it any more, and its key is free for another flag.</p>
        </ConfirmDialog>
      )}
    </>
  );
}
