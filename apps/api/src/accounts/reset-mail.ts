import type { Settings } from '@ledgerline/platform/config/settings';
import type { PasswordReset } from './account-library';
import type { Mail } from './mail-delivery';

type Addresses = Pick<Settings, 'publicApiUrl' | 'dashboardOrigins'>;

export function resetMail({ user, token, url }: PasswordReset, addresses: Addresses): Mail {
  const page = new URL(url).searchParams.get('callbackURL') || pageOf(addresses);
  const link = new URL(page ?? `${addresses.publicApiUrl}/v1/auth/reset-password`);
  link.searchParams.set('token', token);
  const how = page === undefined ? 'send a POST with the JSON body {"newPassword": "…"} to' : 'open';
  return {
    to: user.email,
    userId: user.id,
    subject: 'Reset your password',
    text: `The password of your account at ${addresses.publicApiUrl} is to be reset.

To choose a new one, ${how} this address within an hour:

${link.href}

If you did not ask for this, ignore this mail: your password stays as it is.
`,
  };
}

/** Undefined where no dashboard is configured. */
const pageOf = ({ dashboardOrigins: [origin] }: Addresses): string | undefined =>
  origin === undefined ? undefined : `${origin}/reset-password`;
