import { getRouteApi, Link, useRouter } from '@tanstack/react-router';
import { codeOf, messageOf } from '../../api/failure';
import { useSignIn } from '../../api/session';
import { Button } from '../../components/button';
import { Form } from '../../components/form';
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
  return (
    <CardPage title="Sign in">
      <Form onSubmit={submit}>
        {signIn.error && <Notice tone="danger">{sentenceOf(signIn.error)}</Notice>}
        <Input label="Email" name="email" type="email" autoComplete="username" required />
        <Input label="Password" name="password" type="password" autoComplete="current-password" required />
        <Button type="submit" variant="primary" isBusy={signIn.isPending}>
          Sign in
        </Button>
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

/** The api does not show whether the account exists. */
const sentenceOf = (error: Error): string =>
  codeOf(error) === 'AUTH_REQUIRED' ? 'Email or password is wrong.' : messageOf(error);
