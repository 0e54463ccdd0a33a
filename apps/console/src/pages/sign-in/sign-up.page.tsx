import { useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useLocation, useRouter } from '@tanstack/react-router';
import { signUpModeQuery } from '../../api/account';
import { useSignUp } from '../../api/account-changes';
import { Input } from '../../components/field';
import { Form, FormActions, type Texts } from '../../components/form';
import { NewPasswordInput } from '../../components/text-fields';
import { BASE } from '../../layout/layout.routes';
import { CardPage } from '../../layout/public-frame';
import { SendAgain } from './sign-in.page';

const route = getRouteApi('/sign-up');

export function SignUpPage() {
  const search = route.useSearch();
  const { mode } = useSuspenseQuery(signUpModeQuery).data;
  const link = useLinkRead();
  const invitation = link.get('invitation') ?? undefined;
  const proof = link.get('proof') ?? undefined;
  const router = useRouter();
  const signUp = useSignUp();
  const submit = ({ name = '', email = '', password = '' }: Texts) =>
    signUp.mutate(
      { name, email, password, ...(invitation && { invitation }), ...(proof && { proof }) },
      {
        onSuccess: ({ awaitsVerification }) => {
          if (!awaitsVerification) router.history.push(`${BASE}${search.next ?? '/'}`); // always below our own address
        },
      },
    );
  const isOfUse = mode === 'open' || (mode === 'invited' && (invitation !== undefined || link.has('email')));
  if (signUp.data?.awaitsVerification) return <Waiting email={signUp.data.user.email} />;
  return (
    <CardPage title="Create an account">
      {isOfUse ? (
        <Form onSubmit={submit} change={signUp}>
          <Input label="Name" name="name" autoComplete="name" required />
          <Input
            label="Email"
            name="email"
            type="email"
            autoComplete="username"
            required
            defaultValue={link.get('email') ?? ''}
          />
          <NewPasswordInput label="Password" name="password" />
          <FormActions submit="Create the account" variant="primary" />
        </Form>
      ) : (
        <p>{WITHOUT_FORM[mode === 'closed' ? 'closed' : 'invited']}</p>
      )}
      <p className="links">
        <Link to="/sign-in" search={search}>
          Sign in instead
        </Link>
      </p>
    </CardPage>
  );
}

const WITHOUT_FORM = {
  invited: 'An account here needs an invitation: open the link of the invitation that you got.',
  closed: 'Nobody can create an account here: sign-up is closed.',
};

/**
 * Returns what the link of an operator holds in its fragment, or that of an invitation, which leads here by the
 * sign-in.
 */
function useLinkRead(): URLSearchParams {
  const { next = '' } = route.useSearch();
  const hash = useLocation({ select: (location) => location.hash });
  return new URLSearchParams(hash !== '' ? hash : next.slice(next.indexOf('#') + 1));
}

const Waiting = ({ email }: { readonly email: string }) => (
  <CardPage title="Confirm your address">
    <p>A mail was sent to {email}. Open the link in it within an hour, and sign in with your password.</p>
    <SendAgain email={email} />
    <p className="links">
      <Link to="/sign-in">Sign in</Link>
    </p>
  </CardPage>
);
