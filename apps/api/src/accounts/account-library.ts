import type { Settings } from '@ledgerline/platform/config/settings';
import type { Pool } from 'pg';
import { newUlid } from '@ledgerline/platform/ids/new-ulid';
import { hasCrossSiteDashboard } from '../http/origins';
import { PASSWORD_LENGTH } from './account.dto';
import { isLibraryError } from './account-refusals';
import type { ClientDocuments } from './client-documents';
import { oauthPlugins } from './oauth-plugins';

export const COOKIE_PREFIX = 'ledgerline';

/** How long the link of a mail can be used. */
const LINK_VALID_SECONDS = 3_600;

export interface PasswordReset {
  readonly user: { readonly id: string; readonly email: string };
  readonly token: string;
  readonly url: string;
}

/** A change of the address of an account, which `user` shows as changed. */
export type EmailChange = Omit<PasswordReset, 'url'>;

/** What the library leaves to us. */
export interface AccountHooks {
  /** Sends the token to the person. */
  readonly sendReset: (reset: PasswordReset) => Promise<void>;
  readonly onReset: (userId: string) => Promise<void>;
  /** Sends the token to the new address. */
  readonly sendEmailChange: (change: EmailChange) => Promise<void>;
}

export type AccountLibrary = Awaited<ReturnType<typeof openLibrary>>;

/**
 * better-auth with our settings; imported at its first use, because loading it is slow. A library whose start failed would
 * fail for ever, so its start is awaited.
 */
export async function openLibrary(
  pool: Pool,
  settings: Settings,
  { sendReset, onReset, sendEmailChange }: AccountHooks,
  documents: ClientDocuments,
) {
  const { betterAuth } = await import('better-auth');
  const plugins = await oauthPlugins(settings, documents);
  const library = betterAuth({
    plugins,
    database: pool,
    baseURL: new URL(settings.publicApiUrl).origin, // with a path, it would take that for its own
    basePath: '/v1/auth',
    secret: settings.authSecret,
    telemetry: { enabled: false },
    logger: { disabled: true },
    rateLimit: { enabled: false },
    // an answer 500 of the library would not say why
    onAPIError: {
      onError: (error) => {
        if (!isLibraryError(error)) throw error;
      },
    },
    emailAndPassword: {
      enabled: true,
      minPasswordLength: PASSWORD_LENGTH.min,
      maxPasswordLength: PASSWORD_LENGTH.max,
      resetPasswordTokenExpiresIn: LINK_VALID_SECONDS,
      revokeSessionsOnPasswordReset: true,
      sendResetPassword: sendReset,
      onPasswordReset: ({ user }) => onReset(user.id),
    },
    emailVerification: { sendVerificationEmail: sendEmailChange, expiresIn: LINK_VALID_SECONDS },
    user: { changeEmail: { enabled: true } },
    verification: { storeIdentifier: 'hashed' },
    advanced: {
      cookiePrefix: COOKIE_PREFIX,
      defaultCookieAttributes: { sameSite: sameSiteOf(settings) },
      ipAddress: { disableIpTracking: true },
      database: { generateId: ({ model }) => `${model === 'user' ? 'usr' : 'acc'}_${newUlid()}` },
    },
  });
  await library.$context;
  return library;
}

/** Browsers take `none` from https only, and send `lax` with requests of pages of the same site only. */
const sameSiteOf = (settings: Settings): 'none' | 'lax' =>
  settings.publicApiUrl.startsWith('https:') && hasCrossSiteDashboard(settings) ? 'none' : 'lax';

/** The cookie of a session: on https its name makes browsers refuse it from any other source. */
export const sessionCookie = ({ publicApiUrl }: Pick<Settings, 'publicApiUrl'>): string =>
  `${publicApiUrl.startsWith('https:') ? '__Secure-' : ''}${COOKIE_PREFIX}.session_token`;
