import { useRouteContext, useRouter } from '@tanstack/react-router';
import { useChangeEmail, useRenameAccount } from '../../api/account';
import { fieldMessage } from '../../api/failure';
import { Form } from '../../components/form';
import { FormActions } from '../../components/form-actions';
import { Input } from '../../components/input';
import { Notice } from '../../components/notice';
import { PageHeader } from '../../components/page-header';
import { Section } from '../../components/section';
import { notify } from '../../components/toasts';
import { AccountDeletion } from './account-deletion';
import { PasswordSection } from './password-section';

/** What people change of their own accounts. */
export function AccountPage() {
  const { user } = useRouteContext({ from: '/signed-in' });
  return (
    <div className="page">
      <PageHeader title="Your account" description={user.email} />
      <NameSection name={user.name} />
      <EmailSection />
      <PasswordSection />
      <Section title="Programs with access" description="Agents that you allowed to act for you at their sign-in.">
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
  const submit = ({ name: next = '' }: Readonly<Record<string, string>>) =>
    rename.mutate(next, {
      onSuccess: () => {
        notify('Your name is changed');
        void router.invalidate();
      },
    });
  return (
    <Section title="Name" description="What others see of you.">
      <Form onSubmit={submit} error={rename.error} fields={['name']}>
        <Input
          label="Name"
          name="name"
          autoComplete="name"
          defaultValue={name}
          required
          error={fieldMessage(rename.error, 'name')}
        />
        <FormActions submit="Save the name" isBusy={rename.isPending} />
      </Form>
    </Section>
  );
}

function EmailSection() {
  const change = useChangeEmail();
  const messageAt = (field: string) => fieldMessage(change.error, field);
  return (
    <Section
      title="Address"
      description="Your sign-in, and where mails go. It changes when you open the link of a mail."
    >
      {change.isSuccess ? (
        <Notice tone="info">
          If {change.variables.newEmail} has no account yet, a mail with a link is on its way there.
        </Notice>
      ) : (
        <Form
          onSubmit={({ newEmail = '', currentPassword = '' }) => change.mutate({ newEmail, currentPassword })}
          error={change.error}
          fields={['newEmail', 'currentPassword']}
        >
          <Input label="New address" name="newEmail" type="email" required error={messageAt('newEmail')} />
          <Input
            label="Your password"
            name="currentPassword"
            type="password"
            autoComplete="current-password"
            required
            error={messageAt('currentPassword')}
          />
          <FormActions submit="Send the mail" isBusy={change.isPending} />
        </Form>
      )}
    </Section>
  );
}
