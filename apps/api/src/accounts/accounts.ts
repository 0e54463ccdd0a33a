import type { IncomingHttpHeaders } from 'node:http';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { LogUnavailable } from '@ledgerline/platform/log/log-reader';
import type { Settings } from '@ledgerline/platform/config/settings';
import { openPool } from '@ledgerline/platform/database/pool';
import type { Pool } from 'pg';
import { ulid } from 'ulid';
import { SETTINGS } from '../tokens';

const ACCOUNTS_PATH = '/v1/auth';
const COOKIE_PREFIX = 'ledgerline';
const MIN_PASSWORD_LENGTH = 10;

/** People who sign in with email and password, and their sessions. */
@Injectable()
export class Accounts implements OnApplicationShutdown {
  private opened: Promise<{ library: AccountLibrary; pool: Pool }> | undefined;

  constructor(@Inject(SETTINGS) private readonly settings: Settings) {}

  /** `usr_…` of the session in the cookie; undefined without a valid session. */
  async userOf(headers: IncomingHttpHeaders): Promise<string | undefined> {
    const { cookie } = headers;
    if (!cookie?.includes(`${COOKIE_PREFIX}.session_token=`)) return undefined;
    const { api } = await this.library();
    // the library hides why it could not read the session; it only reads the database for it
    const session = await api.getSession({ headers: new Headers({ cookie }) }).catch((cause: unknown) => {
      throw new LogUnavailable('Sessions cannot be read just now.', { cause });
    });
    return session?.user.id;
  }

  /** Handles a request to the account routes. */
  async handle(request: Request): Promise<Response> {
    return (await this.library()).handler(request);
  }

  /** Creates the account, or finds it by the same password. Returns its `usr_…`. */
  async ensure(account: { email: string; password: string; name: string }): Promise<string> {
    const { api } = await this.library();
    try {
      const { user } = await api.signUpEmail({ body: account });
      return user.id;
    } catch (error) {
      const { email, password } = account;
      const known = await api.signInEmail({ body: { email, password } }).catch(() => undefined);
      if (!known) throw error;
      return known.user.id;
    }
  }

  async onApplicationShutdown(): Promise<void> {
    const opened = await this.opened?.catch(() => undefined);
    await opened?.pool.end();
  }

  private async library(): Promise<AccountLibrary> {
    this.opened ??= this.open().catch((error: unknown) => {
      this.opened = undefined;
      throw error;
    });
    return (await this.opened).library;
  }

  private async open(): Promise<{ library: AccountLibrary; pool: Pool }> {
    const url = new URL(this.settings.databaseUrl);
    url.searchParams.set('options', '-c search_path=auth');
    const pool = openPool({ url: url.href, name: 'accounts', max: 4, statementTimeoutMs: 10_000 });
    return { library: await openLibrary(pool, this.settings), pool };
  }
}

type AccountLibrary = Awaited<ReturnType<typeof openLibrary>>;

/** better-auth with our settings; imported at its first use, because loading it is slow. */
async function openLibrary(pool: Pool, { publicApiUrl, authSecret }: Settings) {
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
