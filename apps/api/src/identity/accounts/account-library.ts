import type { Pool } from 'pg';
import { Problem } from '@ledgerline/contracts/errors/error-codes';
import type { Settings } from '@ledgerline/platform/config/settings';
import { newUlid } from '@ledgerline/platform/ids/new-ulid';
import { hasCrossSiteDashboard } from '../../http/origins';
import { authRequired, conflict, forbidden, invalid, notFound } from '../../http/problems';
import { PASSWORD_LENGTH } from './account.dto';
import { oauthPlugins, type ClientDocuments } from './oauth-plugins';

/** An error of the account library: its HTTP status, and the code and sentence of its body. */
interface LibraryError {
  readonly statusCode: number;
  readonly body?: { readonly code?: unknown; readonly message?: unknown };
}

export const isAccountLibraryError = (error: unknown): error is Error & LibraryError =>
  error instanceof Error && 'statusCode' in error && typeof error.statusCode === 'number';

/** A sign-in with the right password before the address was verified. */
export class UnverifiedAddress extends Problem {
  constructor() {
    super(
      'FORBIDDEN',
      'Your address is not confirmed yet: open the link in the mail that was sent to it, or ask for another mail',
    );
  }
}

/** The code by which the library passes that on. */
const UNVERIFIED = 'EMAIL_NOT_VERIFIED';

/**
 * A refusal of the account library with our codes; undefined for a failure of its own. For credentials the message is
 * ours, which does not show what exists.
 */
export function refusalOf({ statusCode: status, body }: LibraryError): Problem | undefined {
  const { code, message } = textsIn(body);
  if (status >= 500 || code.startsWith('FAILED_TO_')) return undefined;
  if (WRONG_TOKENS.includes(code))
    return invalid([{ field: 'token', message: 'Is not valid, or not any more: ask for another mail.' }]);
  if (code === UNVERIFIED) return new UnverifiedAddress();
  const known = BY_STATUS[status]?.();
  if (known) return known;
  if (status === 409 || code.includes('ALREADY_EXISTS')) return conflict(message);
  return invalidField(code, message);
}

const textsIn = ({ code, message }: LibraryError['body'] = {}) => ({
  code: typeof code === 'string' ? code : '',
  message: typeof message === 'string' && message !== '' ? message : 'The request was refused',
});

function invalidField(code: string, message: string): Problem {
  const [field, sentence = message] = FIELDS[code] ?? [/^\[(?:body|query)\.(\w+)\]/.exec(message)?.[1]];
  return field === undefined ? new Problem('VALIDATION_ERROR', message) : invalid([{ field, message: sentence }]);
}

/** The refusals whose status alone says what they are. */
const BY_STATUS: Readonly<Partial<Record<number, () => Problem>>> = {
  401: authRequired,
  403: forbidden,
  404: () => notFound('Route'),
  429: () => new Problem('RATE_LIMITED', 'Too many requests'),
};

/** The library names a field in its code, or in a sentence such as `[body.email] Invalid input`. */
const FIELDS: Readonly<Partial<Record<string, readonly [field: string, sentence: string]>>> = {
  INVALID_EMAIL: ['email', 'Must be an email address such as ada@example.com.'],
  INVALID_PASSWORD: ['currentPassword', 'Is not your password.'],
};

/**
 * Error codes of tokens that were mailed: one that is none of ours, is over or was used, or belongs to another account.
 */
const WRONG_TOKENS: readonly string[] = ['INVALID_TOKEN', 'TOKEN_EXPIRED', 'USER_NOT_FOUND', 'INVALID_USER'];

export const COOKIE_PREFIX = 'ledgerline';

/** The time for which the link of a mail can be used. */
const LINK_VALID_SECONDS = 3_600;

export interface PasswordReset {
  readonly user: { readonly id: string; readonly email: string };
  readonly token: string;
  readonly url: string;
}

/** A mail that proves an address: of a new account, or the new one of an account, which `user` shows as changed. */
export type AddressVerification = Omit<PasswordReset, 'url'>;

/** The work that the library leaves to us. */
export interface AccountHooks {
  /** Sends the token to the person. */
  readonly sendReset: (reset: PasswordReset) => Promise<void>;
  readonly onReset: (userId: string) => Promise<void>;
  /** Sends the token to the address. */
  readonly sendVerification: (verification: AddressVerification) => Promise<void>;
  /** Called at a sign-up with the address of an account; answers do not show that there is one. */
  readonly onExistingSignUp: (user: ExistingUser) => Promise<void>;
  /** False for an account that has to verify its address first. */
  readonly maySignIn: (userId: string) => Promise<boolean>;
}

export interface ExistingUser {
  readonly id: string;
  readonly email: string;
}

export type AccountLibrary = Awaited<ReturnType<typeof openLibrary>>;

/**
 * better-auth with our settings; imported at its first use, because loading it is slow. A library whose start failed would
 * fail for ever, so its start is awaited.
 */
export async function openLibrary(pool: Pool, settings: Settings, hooks: AccountHooks, documents: ClientDocuments) {
  const [{ betterAuth }, { APIError }] = await Promise.all([import('better-auth'), import('better-auth/api')]);
  const verifies = verifiesAddresses(settings);
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
        if (!isAccountLibraryError(error)) throw error;
      },
    },
    emailAndPassword: passwords(verifies, hooks),
    emailVerification: {
      sendVerificationEmail: hooks.sendVerification,
      expiresIn: LINK_VALID_SECONDS,
      sendOnSignUp: false, // a sign-up does it itself, where the address is not proven
    },
    user: {
      changeEmail: { enabled: true },
      additionalFields: {
        mustVerify: { type: 'boolean', input: false, required: false, defaultValue: verifies },
        isDemoOwner: { type: 'boolean', input: false, required: false, defaultValue: false },
      },
    },
    databaseHooks: {
      session: {
        create: {
          before: async ({ userId }) => {
            if (verifies && !(await hooks.maySignIn(userId))) throw new APIError('FORBIDDEN', { code: UNVERIFIED });
          },
        },
      },
    },
    session: { expiresIn: settings.signInDays * 86_400 },
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

const passwords = (verifies: boolean, { sendReset, onReset, onExistingSignUp }: AccountHooks) => ({
  enabled: true,
  // then a sign-up is also answered the same for an address that has an account
  autoSignIn: !verifies,
  onExistingUserSignUp: ({ user }: { readonly user: ExistingUser }) => onExistingSignUp(user),
  minPasswordLength: PASSWORD_LENGTH.min,
  maxPasswordLength: PASSWORD_LENGTH.max,
  resetPasswordTokenExpiresIn: LINK_VALID_SECONDS,
  revokeSessionsOnPasswordReset: true,
  sendResetPassword: sendReset,
  onPasswordReset: ({ user }: { readonly user: ExistingUser }) => onReset(user.id),
});

/** Returns whether new accounts have to prove their address. */
export const verifiesAddresses = ({ mail }: Pick<Settings, 'mail'>): boolean => mail.by === 'smtp';

/** Browsers take `none` from https only, and send `lax` with requests of pages of the same site only. */
const sameSiteOf = (settings: Settings): 'none' | 'lax' =>
  settings.publicApiUrl.startsWith('https:') && hasCrossSiteDashboard(settings) ? 'none' : 'lax';

/** The cookie of a session: on https its name makes browsers refuse it from any other source. */
export const sessionCookie = ({ publicApiUrl }: Pick<Settings, 'publicApiUrl'>): string =>
  `${publicApiUrl.startsWith('https:') ? '__Secure-' : ''}${COOKIE_PREFIX}.session_token`;
