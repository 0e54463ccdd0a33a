import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import { useDeleteAccount } from '../../api/account';
import { fieldMessage } from '../../api/failure';
import { Button } from '../../components/button';
import { Dialog } from '../../components/dialog';
import { Form } from '../../components/form';
import { FormActions } from '../../components/form-actions';
import { Input } from '../../components/input';
import { Section } from '../../components/section';

export function AccountDeletion() {
  const [isOpen, setOpen] = useState(false);
  return (
    <Section
      title="Delete the account"
      description="You leave your organizations; what you did stays in their audit logs. The last owner of an organization cannot go."
    >
      <div className="form-actions">
        <Button variant="danger" onClick={() => setOpen(true)}>
          Delete the account
        </Button>
      </div>
      {isOpen && <DeletionDialog onClose={() => setOpen(false)} />}
    </Section>
  );
}

function DeletionDialog({ onClose }: { readonly onClose: () => void }) {
  const deletion = useDeleteAccount();
  const router = useRouter();
  const queryClient = useQueryClient();
  const submit = ({ currentPassword = '' }: Readonly<Record<string, string>>) =>
    deletion.mutate(currentPassword, {
      onSuccess: () => void router.navigate({ to: '/sign-in' }).then(() => queryClient.removeQueries()),
    });
  return (
    <Dialog title="Delete your account?" onClose={onClose}>
      <Form onSubmit={submit} error={deletion.error} fields={['currentPassword']}>
        <p>This cannot be undone.</p>
        <Input
          label="Your password"
          name="currentPassword"
          type="password"
          autoComplete="current-password"
          required
          error={fieldMessage(deletion.error, 'currentPassword')}
        />
        <FormActions submit="Delete the account" variant="danger" isBusy={deletion.isPending} onCancel={onClose} />
      </Form>
    </Dialog>
  );
}
