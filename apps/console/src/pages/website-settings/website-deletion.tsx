import type { WebsiteDto } from '@ledgerline/client';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useDeleteWebsite } from '../../api/websites';
import { Button } from '../../components/button';
import { ConfirmDialog } from '../../components/confirm-dialog';
import { Section } from '../../components/section';

export function WebsiteDeletion({ website }: { readonly website: WebsiteDto }) {
  const [isAsked, setAsked] = useState(false);
  const deletion = useDeleteWebsite(website.id);
  const navigate = useNavigate();
  const params = { organizationId: website.organizationId };
  const confirm = () =>
    deletion.mutate(undefined, {
      onSuccess: () => void navigate({ to: '/organizations/$organizationId/websites', params }),
    });
  return (
    <Section title="Delete the website" description="Its hits are refused, and nothing can be asked about it.">
      <div className="form-actions">
        <Button variant="danger" onClick={() => setAsked(true)}>
          Delete the website
        </Button>
      </div>
      {isAsked && (
        <ConfirmDialog
          title={`Delete ${website.name}?`}
          action="Delete"
          isBusy={deletion.isPending}
          error={deletion.error}
          onConfirm={confirm}
          onClose={() => setAsked(false)}
        >
          <p>This cannot be undone.</p>
        </ConfirmDialog>
      )}
    </Section>
  );
}
