import { Link, useLocation, useNavigate } from '@tanstack/react-router';
import { useRequestPasswordReset, useResetPassword } from '../../api/account-changes';
import { fieldMessage } from '../../api/failure';
import { Input } from '../../components/field';
import { Form, FormActions, type Texts } from '../../components/form';
import { MailState } from '../../components/mails';
import { Notice } from '../../components/states';
import { NewPasswordInput } from '../../components/text-fields';
import { notify } from '../../components/toasts';
import { CardPage } from '../../layout/public-frame';

/** Says the same whether or not the address has an account. */
export function ForgotPasswordPage() {
  const request = useRequestPasswordReset();
  return (
    <CardPage title="Reset your password">
      {request.isSuccess ? (
        <Notice tone="info">
          <MailState condition={`If ${request.variables} has an account`} link="The link works for an hour." />
        </Notice>
      ) : (
        <Form onSubmit={({ email = '' }) => request.mutate(email)} change={request}>
          <p className="soft">A mail has the link with which you choose a new password.</p>
          <Input label="Email" name="email" type="email" autoComplete="username" required />
          <FormActions submit="Send the mail" variant="primary" />
        </Form>
      )}
      <p className="links">
        <Link to="/sign-in">Back to the sign-in</Link>
      </p>
    </CardPage>
  );
}

/** With the token of a mail, which is in the fragment of the address. */
export function ResetPasswordPage() {
  const token = useLocation({ select: ({ hash }) => new URLSearchParams(hash).get('token') ?? '' });
  const reset = useResetPassword();
  const navigate = useNavigate();
  const submit = ({ newPassword = '' }: Texts) =>
    reset.mutate(
      { token, newPassword },
      {
        onSuccess: () => {
          notify('Your password is changed, and all sessions have ended. Sign in with the new one.');
          void navigate({ to: '/sign-in', replace: true });
        },
      },
    );
  const isOver = token === '' || fieldMessage(reset.error, 'token') !== undefined;
  return (
    <CardPage title="Choose a new password">
      {isOver ? (
        <Notice tone="danger">This link has expired or was used already. Ask for another one.</Notice>
      ) : (
        <Form onSubmit={submit} change={reset}>
          <NewPasswordInput label="New password" name="newPassword" />
          <FormActions submit="Set the password" variant="primary" />
        </Form>
      )}
      <p className="links">
        <Link to="/forgot-password">Ask for another link</Link>
        <Link to="/sign-in">Sign in</Link>
      </p>
    </CardPage>
  );
}
