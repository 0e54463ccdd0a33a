import { Link } from '@tanstack/react-router';
import { useRequestPasswordReset } from '../../api/account';
import { fieldMessage } from '../../api/failure';
import { Button } from '../../components/button';
import { Form } from '../../components/form';
import { FormError } from '../../components/form-error';
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
        <Form onSubmit={({ email = '' }) => request.mutate(email)}>
          <p className="soft">We mail you a link with which you choose a new password.</p>
          <FormError error={request.error} fields={['email']} />
          <Input
            label="Email"
            name="email"
            type="email"
            autoComplete="username"
            required
            error={fieldMessage(request.error, 'email')}
          />
          <Button type="submit" variant="primary" isBusy={request.isPending}>
            Send the mail
          </Button>
        </Form>
      )}
      <p className="links">
        <Link to="/sign-in">Back to the sign-in</Link>
      </p>
    </CardPage>
  );
}
