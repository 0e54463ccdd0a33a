import { Input } from './input';

const MIN_LENGTH = 10;

interface NewPasswordInputProps {
  readonly label: string;
  readonly name: string;
  readonly error: string | undefined;
}

/** A password to be set; password managers offer one. */
export const NewPasswordInput = (props: NewPasswordInputProps) => (
  <Input {...props} type="password" autoComplete="new-password" required hint={`At least ${MIN_LENGTH} characters.`} />
);
