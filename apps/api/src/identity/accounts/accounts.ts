import type { IncomingHttpHeaders } from 'node:http';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { Pool } from 'pg';
import type { Settings } from '@ledgerline/platform/config/settings';
import { isBadData, orUnavailable } from '@ledgerline/platform/database/database-errors';
import { openPool, run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import { LogUnavailable } from '@ledgerline/platform/log/log-reader';
import { authRequired, conflict, invalid } from '../../http/problems';
import { SETTINGS } from '../../tokens';
import {
  COOKIE_PREFIX,
  isAccountLibraryError,
  openLibrary,
  refusalOf,
  UnverifiedAddress,
  verifiesAddresses,
  type AccountLibrary,
} from './account-library';
import { MailedLinks, readMailedToken } from './mailed-links';
import { Mailer } from './mailer';
import { ClientDocuments } from './oauth-plugins';
import { isOperator, type Person } from './people';

interface Opened {
  readonly library: AccountLibrary;
  readonly links: MailedLinks;
  readonly pool: Pool;
}

interface Credentials {
  readonly email: string;
  readonly password: string;
  readonly rememberMe?: boolean | undefined;
}

/** A person with a session. */
export interface SignedInPerson extends Person {
  readonly isOperator: boolean;
}

const UNAVAILABLE = 'Accounts cannot be read or changed just now.';

/** As OAuth answers (RFC 6749): Postgres stores no NUL, which the JSON of a client's document may hold. */
const UNSTORABLE = {
  error: 'invalid_client',
  error_description: 'the client sent or publishes a character that cannot be stored',
};

export const cookieHeaders = (cookie: string | undefined): Headers =>
  new Headers(cookie === undefined ? {} : { cookie });

export function setCookies(reply: FastifyReply, headers: Headers): void {
  const cookies = headers.getSetCookie();
  if (cookies.length > 0) void reply.header('set-cookie', cookies);
}

const personIn = ({ user: { id, name, email } }: { readonly user: Person }): Person => ({ id, name, email });

/** People who sign in with email and password, and their sessions. */
@Injectable()
export class Accounts implements OnApplicationShutdown {
  private opening: Promise<Opened> | undefined;

  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly mailer: Mailer,
    private readonly documents: ClientDocuments,
  ) {}

  /** Returns the person of the session in the cookie; undefined without a valid session. */
  async personOf({ cookie }: IncomingHttpHeaders): Promise<SignedInPerson | undefined> {
    if (!cookie?.includes(`${COOKIE_PREFIX}.session_token=`)) return undefined;
    const session = await this.call((api) => api.getSession({ headers: cookieHeaders(cookie) }));
    return session ? { ...personIn(session), isOperator: this.isOperator(session.user) } : undefined;
  }

  /** Returns what the account of a session holds. @throws Problem AUTH_REQUIRED without a session */
  async userOf(cookie: string | undefined) {
    const session = await this.call((api) => api.getSession({ headers: cookieHeaders(cookie) }));
    if (!session) throw authRequired();
    return session.user;
  }

  isOperator(user: Parameters<typeof isOperator>[0]): boolean {
    return isOperator(user, this.settings);
  }

  /**
   * Creates an account. With a mail server, one whose address is not proven is sent a mail and waits for it, and the answer
   * is the same where the address has an account. @throws Problem CONFLICT where it does not depend on a mail
   */
  async signUp(account: Credentials & { readonly name: string }, isProven: boolean) {
    const create = () => this.call((api) => api.signUpEmail({ body: { ...account }, returnHeaders: true }));
    // of two that sign up with one address at once, the later one finds the account of the other
    const created = await create().catch((error: unknown) => {
      if (error instanceof LogUnavailable) return create();
      throw error;
    });
    if (!verifiesAddresses(this.settings)) return { ...created, awaitsVerification: false };
    if (!isProven) {
      await this.sendVerification(account.email);
      return { ...created, awaitsVerification: true };
    }
    const { id } = created.response.user;
    const { pool } = await this.opened();
    const verified = await run(pool, sql`update "user" set "emailVerified" = true where id = ${id} returning id`);
    if (verified.length === 0) throw conflict('This address has an account already: sign in, or reset its password');
    return { ...(await this.signIn(account)), awaitsVerification: false };
  }

  /** With the token of a mail, the address is verified first. @throws Problem, UnverifiedAddress */
  async signIn({ email, password, rememberMe }: Credentials, token?: string) {
    const body = { email, password, rememberMe };
    const signIn = () => this.call((api) => api.signInEmail({ body, returnHeaders: true }));
    if (token === undefined) return signIn();
    // the token counts only with the password: who asked for the account may be another person than who reads the mail
    const signedIn = await signIn().catch((error: unknown) => {
      if (!(error instanceof UnverifiedAddress)) throw error;
    });
    const mailed = await readMailedToken(token, this.settings.authSecret);
    if (mailed?.updateTo !== undefined || mailed?.email !== email.toLowerCase())
      throw invalid([{ field: 'token', message: 'Invalid token' }]);
    await this.call((api) => api.verifyEmail({ query: { token } }));
    return signedIn ?? signIn();
  }

  /** Sends a mail to an address that is not verified; takes as long for every address. */
  async sendVerification(email: string): Promise<void> {
    if (verifiesAddresses(this.settings)) await this.call((api) => api.sendVerificationEmail({ body: { email } }));
  }

  /** @throws Problem VALIDATION_ERROR when it is not the password of the session's person */
  async assertPassword(cookie: string | undefined, password: string): Promise<void> {
    await this.call((api) => api.verifyPassword({ body: { password }, headers: cookieHeaders(cookie) }));
  }

  /**
   * Calls the library. TRICKY: it stores the address and user agent that it gets, so it gets no header but the cookie.
   * @throws Problem for what it refuses
   */
  async call<T>(operation: (api: AccountLibrary['api']) => Promise<T>): Promise<T> {
    const { library } = await this.opened();
    try {
      return await operation(library.api);
    } catch (error) {
      if (!isAccountLibraryError(error)) throw error;
      const refusal = refusalOf(error);
      if (refusal) throw refusal;
      // the library hides why its statements fail
      throw new LogUnavailable(UNAVAILABLE, { cause: error });
    }
  }

  /** Lets the library answer a request to its authorization server. @throws LogUnavailable */
  async handle(request: Request): Promise<Response> {
    const { library } = await this.opened();
    try {
      const response = await library.handler(request);
      if (response.status < 500) return response;
    } catch (error) {
      if (isBadData(error)) return Response.json(UNSTORABLE, { status: 400 });
      throw new LogUnavailable(UNAVAILABLE, { cause: error });
    }
    throw new LogUnavailable(UNAVAILABLE);
  }

  /** Whom a mailed token for a new password is of; undefined for one that is unknown, over or used. @throws LogUnavailable */
  async personOfReset(token: string): Promise<string | undefined> {
    const { internalAdapter } = await (await this.opened()).library.$context;
    const found = await orUnavailable('Accounts', () =>
      internalAdapter.findVerificationValue(`reset-password:${token}`),
    );
    return found && found.expiresAt > new Date() ? found.value : undefined;
  }

  /** Ends the links of password resets that were sent to a person. */
  async endResetsOf(userId: string): Promise<void> {
    await (await this.opened()).links.endResetsOf(userId);
  }

  /** Creates the account of the demo's owner, or finds it by the same password. */
  async ensureDemoOwner({ email, password, name }: Credentials & { readonly name: string }): Promise<Person> {
    const { library, pool } = await this.opened();
    const failure = await library.api.signUpEmail({ body: { email, password, name } }).then(
      () => undefined,
      (error: unknown) => error,
    );
    await run(pool, sql`update "user" set "mustVerify" = false, "isDemoOwner" = true where email = ${email}`);
    const known = await library.api.signInEmail({ body: { email, password } }).catch((error: unknown) => {
      throw failure ?? error;
    });
    return personIn(known);
  }

  /** Marks the owner of a demo that was created before owners were marked. */
  async markDemoOwner(email: string): Promise<void> {
    const { pool } = await this.opened();
    await run(
      pool,
      sql`
        update "user" set "isDemoOwner" = true
        where email = ${email} and not exists (select from "user" where "isDemoOwner")`,
    );
  }

  async onApplicationShutdown(): Promise<void> {
    const opened = await this.opening?.catch(() => undefined);
    await opened?.pool.end();
  }

  private async opened(): Promise<Opened> {
    this.opening ??= this.open().catch((error: unknown) => {
      this.opening = undefined;
      throw error;
    });
    return this.opening;
  }

  private async open(): Promise<Opened> {
    const { databaseUrl: url } = this.settings;
    const pool = openPool({ url, name: 'accounts', max: 4, statementTimeoutMs: 10_000, searchPath: 'auth' });
    const links = new MailedLinks(pool, this.mailer, this.settings);
    try {
      return { library: await openLibrary(pool, this.settings, links, this.documents), links, pool };
    } catch (error) {
      await pool.end();
      throw new LogUnavailable('Accounts cannot be opened just now.', { cause: error });
    }
  }
}
