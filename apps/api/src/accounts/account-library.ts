import type { Settings } from '@ledgerline/platform/config/settings';
import type { Pool } from 'pg';
import { ulid } from 'ulid';

export const ACCOUNTS_PATH = '/v1/auth';
export const COOKIE_PREFIX = 'ledgerline';
export const MIN_PASSWORD_LENGTH = 10;

/** The account library with our settings; loaded only here, and only when somebody needs it, as loading takes long. */
export async function openAccountLibrary(pool: Pool, { publicApiUrl, authSecret }: Settings) {
  const { betterAuth } = await import('better-auth');
  return betterAuth({
    database: pool,
    baseURL: publicApiUrl,
    basePath: ACCOUNTS_PATH,
    secret: authSecret,
    telemetry: { enabled: false },
    logger: { disabled: true },
    rateLimit: { enabled: false },
    emailAndPassword: { enabled: true, minPasswordLength: MIN_PASSWORD_LENGTH },
    advanced: {
      cookiePrefix: COOKIE_PREFIX,
      ipAddress: { disableIpTracking: true },
      database: { generateId: ({ model }) => `${model === 'user' ? 'usr' : 'acc'}_${ulid()}` },
    },
  });
}

export type AccountLibrary = Awaited<ReturnType<typeof openAccountLibrary>>;
