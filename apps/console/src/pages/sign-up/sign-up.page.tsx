import { getRouteApi, Link, useRouter } from '@tanstack/react-router';
import { useSignUp } from '../../api/account';
import { fieldMessage } from '../../api/failure';
import { Form } from '../../components/form';
import { FormActions } from '../../components/form-actions';
import { Input } from '../../components/input';
import { NewPasswordInput } from '../../components/new-password-input';
import { BASE } from '../../layout/base';
import { CardPage } from '../../layout/card-page';

const route = getRouteApi('/sign-up');
const FIELDS = ['name', 'email', 'password'];

export function SignUpPage() {
  const search = route.useSearch();
  const router = useRouter();
  const signUp = useSignUp();
  const submit = ({ name = '', email = '', password = '' }: Readonly<Record<string, string>>) =>
    signUp.mutate(
      { name, email, password },
      { onSuccess: () => router.history.push(`${BASE}${search.next ?? '/'}`) }, // always below our own address
    );
  const messageAt = (field: string) => fieldMessage(signUp.error, field);
  return (
    <CardPage title="Create an account">
      <Form onSubmit={submit} error={signUp.error} fields={FIELDS}>
        <Input label="Name" name="name" autoComplete="name" required error={messageAt('name')} />
        <Input label="Email" name="email" type="email" autoComplete="username" required error={messageAt('email')} />
        <NewPasswordInput label="Password" name="password" error={messageAt('password')} />
        <FormActions submit="Create the account" variant="primary" isBusy={signUp.isPending} />
      </Form>
      <p className="links">
        <Link to="/sign-in" search={search}>
          Sign in instead
        </Link>
      </p>
    </CardPage>
  );
}
