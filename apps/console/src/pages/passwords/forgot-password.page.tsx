import { Link } from '@tanstack/react-router';
import { useRequestPasswordReset } from '../../api/account';
import { fieldMessage } from '../../api/failure';
import { Form } from '../../components/form';
import { FormActions } from '../../components/form-actions';
import { Input } from '../../components/input';
import { Notice } from '../../components/notice';
import { CardPage } from '../../layout/card-page';

/** Says the same whether or not the address has an account. */
export function ForgotPasswordPage() {
  const request = useRequestPasswordReset();
  return (
    <CardPage title="Reset your password">
      {request.isSuccess ? (
        <Notice tone="info">
          If {request.variables} has an account, a mail with a link is on its way. The link works for an hour.
        </Notice>
      ) : (
        <Form onSubmit={({ email = '' }) => request.mutate(email)} error={request.error} fields={['email']}>
          <p className="soft">We mail you a link with which you choose a new password.</p>
          <Input
            label="Email"
            name="email"
            type="email"
            autoComplete="username"
            required
            error={fieldMessage(request.error, 'email')}
          />
          <FormActions submit="Send the mail" variant="primary" isBusy={request.isPending} />
        </Form>
      )}
      <p className="links">
        <Link to="/sign-in">Back to the sign-in</Link>
      </p>
    </CardPage>
  );
}
