import type { MonitorDto } from '@ledgerline/client';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { messageOf } from '../../api/failure';
import { useChangeMonitor, useDeleteMonitor } from '../../api/monitors';
import { Button } from '../../components/button';
import { ConfirmDialog } from '../../components/confirm-dialog';
import { notify } from '../../components/toasts';

/** Pausing, which can be undone, and deletion. */
export function MonitorActions({ monitor }: { readonly monitor: MonitorDto }) {
  const [isAsked, setAsked] = useState(false);
  const change = useChangeMonitor(monitor.id);
  const deletion = useDeleteMonitor(monitor.id);
  const navigate = useNavigate();
  const pause = () =>
    change.mutate(
      { paused: !monitor.paused },
      {
        onSuccess: () => notify(monitor.paused ? 'The monitor is checked again' : 'The monitor is paused'),
        onError: (error) => notify(messageOf(error)),
      },
    );
  const params = { organizationId: monitor.organizationId };
  const remove = () =>
    deletion.mutate(undefined, {
      onSuccess: () => void navigate({ to: '/organizations/$organizationId/monitors', params }),
    });
  return (
    <>
      <Button isBusy={change.isPending} onClick={pause}>
        {monitor.paused ? 'Resume' : 'Pause'}
      </Button>
      <Button onClick={() => setAsked(true)}>Delete</Button>
      {isAsked && (
        <ConfirmDialog
          title={`Delete ${monitor.name}?`}
          action="Delete"
          isBusy={deletion.isPending}
          error={deletion.error}
          onConfirm={remove}
          onClose={() => setAsked(false)}
        >
          <p>It is checked no longer, and status pages do not show it any more.</p>
        </ConfirmDialog>
      )}
    </>
  );
}
