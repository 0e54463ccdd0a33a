import { useState } from 'react';
import { useChangePassword } from '../../api/account';
import { fieldMessage } from '../../api/failure';
import { Checkbox } from '../../components/checkbox';
import { Form } from '../../components/form';
import { FormActions } from '../../components/form-actions';
import { Input } from '../../components/input';
import { NewPasswordInput } from '../../components/new-password-input';
import { Section } from '../../components/section';
import { notify } from '../../components/toasts';

/** A changed password, and with it the end of the sessions elsewhere and of what programs were allowed. */
export function PasswordSection() {
  const change = useChangePassword();
  const [changes, setChanges] = useState(0);
  const submit = ({ currentPassword = '', newPassword = '', others, grants }: Readonly<Record<string, string>>) =>
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
      <Form key={changes} onSubmit={submit} error={change.error} fields={['currentPassword', 'newPassword']}>
        <Input
          label="Current password"
          name="currentPassword"
          type="password"
          autoComplete="current-password"
          required
          error={fieldMessage(change.error, 'currentPassword')}
        />
        <NewPasswordInput label="New password" name="newPassword" error={fieldMessage(change.error, 'newPassword')} />
        <Checkbox
          label="Sign out everywhere else"
          name="others"
          defaultChecked
          hint="Ends all other sessions of this account."
        />
        <Checkbox
          label="End the access of programs"
          name="grants"
          defaultChecked
          hint="Agents that you allowed to act for you have to ask you again."
        />
        <FormActions submit="Change the password" isBusy={change.isPending} />
      </Form>
    </Section>
  );
}
