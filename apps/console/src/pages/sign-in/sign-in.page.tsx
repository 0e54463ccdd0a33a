import { getRouteApi, Link, useLocation, useRouter } from '@tanstack/react-router';
import { useSendVerification, useSignIn } from '../../api/account-changes';
import { codeOf, fieldMessage, messageOf } from '../../api/failure';
import { Button } from '../../components/button';
import { Input } from '../../components/field';
import { Form, FormActions, type Texts } from '../../components/form';
import { Notice } from '../../components/states';
import { BASE } from '../../layout/layout.routes';
import { CardPage } from '../../layout/public-frame';

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
  const submit = ({ email = '', password = '' }: Texts) =>
    signIn.mutate(
      { email, password, ...(token && { token }) },
      { onSuccess: () => router.history.push(`${BASE}${search.next ?? '/'}`) }, // always below our own address
    );
  const sentence = signIn.error ? sentenceOf(signIn.error) : undefined;
  return (
    <CardPage title="Sign in">
      <Form onSubmit={submit} change={sentence ? { ...signIn, error: null } : signIn}>
        {token !== undefined && !signIn.error && <Notice tone="info">Sign in to confirm your address.</Notice>}
        <Input label="Email" name="email" type="email" autoComplete="username" required />
        <Input label="Password" name="password" type="password" autoComplete="current-password" required />
        {sentence && <Notice tone="danger">{sentence}</Notice>}
        <FormActions submit="Sign in" variant="primary" />
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

/** Returns what concerns no single field. The api does not show whether the account exists. */
function sentenceOf(error: Error): string | undefined {
  if (codeOf(error) === 'AUTH_REQUIRED') return 'Email or password is wrong.';
  if (fieldMessage(error, 'token') !== undefined) return 'The link in the mail has expired, or is of another address.';
  return codeOf(error) === 'FORBIDDEN' ? messageOf(error) : undefined;
}

/** Sends the mail again that confirms an address; the same for an address without an account. */
export function SendAgain({ email }: { readonly email: string }) {
  const send = useSendVerification();
  if (send.isSuccess)
    return <Notice tone="info">If the account at {email} waits for it, another mail is on its way.</Notice>;
  return (
    <>
      {send.error && <Notice tone="danger">{messageOf(send.error)}</Notice>}
      <Button isBusy={send.isPending} onClick={() => send.mutate(email)}>
        Send the mail again
      </Button>
    </>
  );
}
