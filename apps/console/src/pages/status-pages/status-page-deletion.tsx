import type { StatusPageDto } from '@ledgerline/client';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useDeleteStatusPage } from '../../api/status-pages';
import { Button } from '../../components/button';
import { ConfirmDialog } from '../../components/confirm-dialog';

export function StatusPageDeletion({ page }: { readonly page: StatusPageDto }) {
  const [isAsked, setAsked] = useState(false);
  const deletion = useDeleteStatusPage(page.id);
  const navigate = useNavigate();
  const params = { organizationId: page.organizationId };
  const remove = () =>
    deletion.mutate(undefined, {
      onSuccess: () => void navigate({ to: '/organizations/$organizationId/status-pages', params }),
    });
  return (
    <>
      <Button onClick={() => setAsked(true)}>Delete</Button>
      {isAsked && (
        <ConfirmDialog
          title={`Delete ${page.name}?`}
          action="Delete"
          isBusy={deletion.isPending}
          error={deletion.error}
          onConfirm={remove}
          onClose={() => setAsked(false)}
        >
          <p>Nobody finds it any more. Its slug stays the organization’s.</p>
        </ConfirmDialog>
      )}
    </>
  );
}
