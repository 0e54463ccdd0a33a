import type { Settings } from '@ledgerline/platform/config/settings';
import type { ExistingUser, PasswordReset, AddressVerification } from './account-library';
import type { Mail } from './mailer';

type Addresses = Pick<Settings, 'publicApiUrl' | 'dashboardOrigins'>;

export function resetMail({ user, token, url }: PasswordReset, addresses: Addresses): Mail {
  const page = new URL(url).searchParams.get('callbackURL') || pageOf(addresses, 'reset-password');
  return {
    to: user.email,
    userId: user.id,
    subject: 'Reset your password',
    text: `The password of your account at ${addresses.publicApiUrl} is to be reset.

To choose a new one, open this address within an hour:

${page === undefined ? consolePage(addresses, 'reset-password', { token }) : linkTo(page, token)}

If you did not ask for this, ignore this mail: your password stays as it is.
`,
  };
}

/** To the new address, which is the account's once its person has read this. */
export function emailChangeMail({ user, token }: AddressVerification, addresses: Addresses): Mail {
  const page = pageOf(addresses, 'verify-email');
  return {
    to: user.email,
    userId: user.id,
    subject: 'Confirm your new address',
    text: `Your account at ${addresses.publicApiUrl} is to have this address.

To confirm it, sign in and open this address within an hour:

${linkTo(page ?? `${addresses.publicApiUrl}/v1/auth/verify-email`, token)}

If you did not ask for this, ignore this mail: nothing changes.
`,
  };
}

/** To the address of a new account, which cannot be used before its person has read this. */
export function verificationMail({ user, token }: AddressVerification, addresses: Addresses): Mail {
  const page = pageOf(addresses, 'verify-email');
  return {
    to: user.email,
    userId: user.id,
    subject: 'Confirm your address',
    text: `Somebody created an account at ${addresses.publicApiUrl} with this address.

If it was you, open this address within an hour and sign in with your password:

${page === undefined ? consolePage(addresses, 'sign-in', { token }) : linkTo(page, token)}

If it was not you, ignore this mail: without it nobody can use the account.
`,
  };
}

/** To the person of an account, at a sign-up with the same address. */
export const existingAccountMail = (user: ExistingUser, addresses: Addresses): Mail => ({
  to: user.email,
  userId: user.id,
  subject: 'You have an account already',
  text: `Somebody tried to create an account at ${addresses.publicApiUrl} with this address, which has one.

If it was you, sign in, or reset your password:

${consolePage(addresses, 'sign-in', {})}

If it was not you, ignore this mail: nothing changes.
`,
});

/** To the address that the account had. */
export const emailChangedMail = (user: ExistingUser, { publicApiUrl }: Addresses): Mail => ({
  to: user.email,
  userId: user.id,
  subject: 'The address of your account was changed',
  text: `Your account at ${publicApiUrl} has another address now, and mails about it go there.

If you did not change it, ask those who run this installation to help you at once.
`,
});

/** A page of the console. What it reads is in the fragment, which browsers send to no server. */
export const consolePage = (
  { publicApiUrl }: Pick<Settings, 'publicApiUrl'>,
  page: string,
  read: Readonly<Record<string, string>>,
): string => {
  const fragment = new URLSearchParams(read).toString();
  return `${publicApiUrl}/console/${page}${fragment === '' ? '' : `#${fragment}`}`;
};

/** Undefined where no dashboard is configured. */
const pageOf = ({ dashboardOrigins: [origin] }: Addresses, page: string): string | undefined =>
  origin === undefined ? undefined : `${origin}/${page}`;

function linkTo(address: string, token: string): string {
  const link = new URL(address);
  link.searchParams.set('token', token);
  return link.href;
}
