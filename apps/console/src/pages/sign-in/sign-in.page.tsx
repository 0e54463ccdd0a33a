import { getRouteApi, Link, useLocation, useRouter } from '@tanstack/react-router';
import { codeOf, fieldMessage, messageOf } from '../../api/failure';
import { useSignIn } from '../../api/session';
import { Form } from '../../components/form';
import { FormActions } from '../../components/form-actions';
import { Input } from '../../components/input';
import { Notice } from '../../components/notice';
import { BASE } from '../../layout/base';
import { CardPage } from '../../layout/card-page';
import { SendAgain } from './send-again';

const route = getRouteApi('/sign-in');

/** The mail to the address of a new account links to it, with a token in the fragment. */
export function SignInPage() {
  const token = useLocation({ select: ({ hash }) => new URLSearchParams(hash).get('token') ?? undefined });
  return <SignIn key={token} token={token} />;
}

function SignIn({ token }: { readonly token: string | undefined }) {
  const search = route.useSearch();
  const router = useRouter();
  const signIn = useSignIn();
  const submit = ({ email = '', password = '' }: Readonly<Record<string, string>>) =>
    signIn.mutate(
      { email, password, ...(token && { token }) },
      { onSuccess: () => router.history.push(`${BASE}${search.next ?? '/'}`) }, // always below our own address
    );
  const sentence = signIn.error ? sentenceOf(signIn.error) : undefined;
  return (
    <CardPage title="Sign in">
      <Form onSubmit={submit} error={sentence ? null : signIn.error} fields={['email', 'password']}>
        {token !== undefined && !signIn.error && <Notice tone="info">Sign in to confirm your address.</Notice>}
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
        {sentence && <Notice tone="danger">{sentence}</Notice>}
        <FormActions submit="Sign in" variant="primary" isBusy={signIn.isPending} />
      </Form>
      {signIn.error && isUnverified(signIn.error) && (
        <SendAgain key={signIn.submittedAt} email={signIn.variables.email} />
      )}
      <p className="links">
        <Link to="/sign-up" search={search}>
          Create an account
        </Link>
        <Link to="/forgot-password">Forgot your password?</Link>
      </p>
    </CardPage>
  );
}

/** With the right password only, so that this does not show who has an account. */
const isUnverified = (error: Error): boolean =>
  codeOf(error) === 'FORBIDDEN' || fieldMessage(error, 'token') !== undefined;

/** What concerns no single field. The api does not show whether the account exists. */
function sentenceOf(error: Error): string | undefined {
  if (codeOf(error) === 'AUTH_REQUIRED') return 'Email or password is wrong.';
  if (fieldMessage(error, 'token') !== undefined) return 'The link in the mail has expired, or is of another address.';
  return codeOf(error) === 'FORBIDDEN' ? messageOf(error) : undefined;
}
