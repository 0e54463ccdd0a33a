import { getRouteApi, Link, useRouter } from '@tanstack/react-router';
import { codeOf, fieldMessage } from '../../api/failure';
import { useSignIn } from '../../api/session';
import { Form } from '../../components/form';
import { FormActions } from '../../components/form-actions';
import { Input } from '../../components/input';
import { Notice } from '../../components/notice';
import { BASE } from '../../layout/base';
import { CardPage } from '../../layout/card-page';

const route = getRouteApi('/sign-in');

export function SignInPage() {
  const search = route.useSearch();
  const router = useRouter();
  const signIn = useSignIn();
  const submit = ({ email = '', password = '' }: Readonly<Record<string, string>>) =>
    signIn.mutate(
      { email, password },
      { onSuccess: () => router.history.push(`${BASE}${search.next ?? '/'}`) }, // always below our own address
    );
  const isWrong = signIn.error !== null && codeOf(signIn.error) === 'AUTH_REQUIRED'; // of both, or there is no account
  return (
    <CardPage title="Sign in">
      <Form onSubmit={submit} error={isWrong ? null : signIn.error} fields={['email', 'password']}>
        <Input
          label="Email"
          name="email"
          type="email"
          autoComplete="username"
          required
          error={fieldMessage(signIn.error, 'email')}
        />
        <Input
          label="Password"
          name="password"
          type="password"
          autoComplete="current-password"
          required
          error={fieldMessage(signIn.error, 'password')}
        />
        {isWrong && <Notice tone="danger">Email or password is wrong.</Notice>}
        <FormActions submit="Sign in" variant="primary" isBusy={signIn.isPending} />
      </Form>
      <p className="links">
        <Link to="/sign-up" search={search}>
          Create an account
        </Link>
        <Link to="/forgot-password">Forgot your password?</Link>
      </p>
    </CardPage>
  );
}
