import { Link, useLocation, useNavigate } from '@tanstack/react-router';
import { useResetPassword } from '../../api/account';
import { fieldMessage } from '../../api/failure';
import { Form } from '../../components/form';
import { FormActions } from '../../components/form-actions';
import { NewPasswordInput } from '../../components/new-password-input';
import { Notice } from '../../components/notice';
import { notify } from '../../components/toasts';
import { CardPage } from '../../layout/card-page';

/** With the token of a mail, which is in the fragment of the address. */
export function ResetPasswordPage() {
  const token = useLocation({ select: ({ hash }) => new URLSearchParams(hash).get('token') ?? '' });
  const reset = useResetPassword();
  const navigate = useNavigate();
  const submit = ({ newPassword = '' }: Readonly<Record<string, string>>) =>
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
        <Form onSubmit={submit} error={reset.error} fields={['newPassword']}>
          <NewPasswordInput label="New password" name="newPassword" error={fieldMessage(reset.error, 'newPassword')} />
          <FormActions submit="Set the password" variant="primary" isBusy={reset.isPending} />
        </Form>
      )}
      <p className="links">
        <Link to="/forgot-password">Ask for another link</Link>
        <Link to="/sign-in">Sign in</Link>
      </p>
    </CardPage>
  );
}
