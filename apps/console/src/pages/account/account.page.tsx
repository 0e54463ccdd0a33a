import { useQueryClient } from '@tanstack/react-query';
import { useRouteContext, useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import { useChangeEmail, useChangePassword, useDeleteAccount, useRenameAccount } from '../../api/account-changes';
import { Button } from '../../components/button';
import { Checkbox } from '../../components/choices';
import { Input } from '../../components/field';
import { Form, FormActions, type Texts } from '../../components/form';
import { MailState } from '../../components/mails';
import { Dialog } from '../../components/overlays';
import { PageHeader } from '../../components/page';
import { FormSection, Section } from '../../components/page-parts';
import { Notice } from '../../components/states';
import { NewPasswordInput } from '../../components/text-fields';
import { notify } from '../../components/toasts';

/** Shows what people change of their own accounts. */
export function AccountPage() {
  const { user } = useRouteContext({ from: '/signed-in' });
  return (
    <div className="page">
      <PageHeader title="Your account" description={user.email} />
      <NameSection name={user.name} />
      <EmailSection />
      <PasswordSection />
      <Section title="Authorized apps" description="Agents that you allowed to act for you.">
        <p>
          <a href="/v1/auth/oauth2/grants">Show and revoke them</a>
        </p>
      </Section>
      <AccountDeletion />
    </div>
  );
}

function NameSection({ name }: { readonly name: string }) {
  const rename = useRenameAccount();
  const router = useRouter();
  const submit = ({ name: next = '' }: Texts) =>
    rename.mutate(next, {
      onSuccess: () => {
        notify('Your name is changed');
        void router.invalidate();
      },
    });
  return (
    <FormSection
      title="Name"
      description="Shown to other members."
      change={rename}
      onSubmit={submit}
      submit="Save the name"
    >
      <Input label="Name" name="name" autoComplete="name" defaultValue={name} required />
    </FormSection>
  );
}

function EmailSection() {
  const change = useChangeEmail();
  return (
    <Section
      title="Address"
      description="Your sign-in, and where mails go. It changes when you open the link of a mail."
    >
      {change.isSuccess ? (
        <Notice tone="info">
          <MailState condition={`If ${change.variables.newEmail} has no account yet`} />
        </Notice>
      ) : (
        <Form
          onSubmit={({ newEmail = '', currentPassword = '' }) => change.mutate({ newEmail, currentPassword })}
          change={change}
        >
          <Input label="New address" name="newEmail" type="email" required />
          <Input
            label="Your password"
            name="currentPassword"
            type="password"
            autoComplete="current-password"
            required
          />
          <FormActions submit="Send the mail" />
        </Form>
      )}
    </Section>
  );
}

/** A changed password, and with it the end of the sessions elsewhere and of what programs were allowed. */
function PasswordSection() {
  const change = useChangePassword();
  const [changes, setChanges] = useState(0);
  const submit = ({ currentPassword = '', newPassword = '', others, grants }: Texts) =>
    change.mutate(
      {
        currentPassword,
        newPassword,
        revokeOtherSessions: others !== undefined,
        revokeGrants: grants !== undefined,
      },
      {
        onSuccess: () => {
          notify('Your password is changed');
          setChanges(changes + 1); // empties the form
        },
      },
    );
  return (
    <Section title="Password">
      <Form key={changes} onSubmit={submit} change={change}>
        <Input
          label="Current password"
          name="currentPassword"
          type="password"
          autoComplete="current-password"
          required
        />
        <NewPasswordInput label="New password" name="newPassword" />
        <Checkbox
          label="Sign out everywhere else"
          name="others"
          defaultChecked
          hint="Ends all other sessions of this account."
        />
        <Checkbox
          label="Revoke the access of apps"
          name="grants"
          defaultChecked
          hint="Agents that you allowed to act for you have to ask you again."
        />
        <FormActions submit="Change the password" />
      </Form>
    </Section>
  );
}

function AccountDeletion() {
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
  const submit = ({ currentPassword = '' }: Texts) =>
    deletion.mutate(currentPassword, {
      onSuccess: () => void router.navigate({ to: '/sign-in' }).then(() => queryClient.removeQueries()),
    });
  return (
    <Dialog title="Delete your account?" onClose={onClose}>
      <Form onSubmit={submit} change={deletion}>
        <p>This cannot be undone.</p>
        <Input label="Your password" name="currentPassword" type="password" autoComplete="current-password" required />
        <FormActions submit="Delete the account" variant="danger" onCancel={onClose} />
      </Form>
    </Dialog>
  );
}
