import type { Pool } from 'pg';
import type { Settings } from '@ledgerline/platform/config/settings';
import { run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import type { AccountHooks, ExistingUser, PasswordReset, AddressVerification } from './account-library';
import { emailChangeMail, existingAccountMail, resetMail, verificationMail } from './account-mails';
import { Mailer } from './mailer';

/** Bounds the mails that requests for a reset can send to one address. */
const MAX_OPEN_RESETS = 5;

/** The content of a mail's token: of a new account, or of a change to another address. */
interface MailedAddress {
  readonly email: string;
  readonly updateTo?: string;
}

/** Undefined for a token that is not of a mail of ours, or is over. */
export async function readMailedToken(token: string, secret: string): Promise<MailedAddress | undefined> {
  const { verifyJWT } = await import('better-auth/crypto');
  const { email, updateTo } = (await verifyJWT<Partial<MailedAddress>>(token, secret)) ?? {};
  return email ? { email, ...(updateTo ? { updateTo } : {}) } : undefined;
}

/** The mails with which people prove and change their address, and change their password. The library keeps a row for each reset that can still be used. */
export class MailedLinks implements AccountHooks {
  constructor(
    private readonly pool: Pool,
    private readonly mailer: Pick<Mailer, 'send'>,
    private readonly settings: Settings,
  ) {}

  readonly sendReset = async (reset: PasswordReset): Promise<void> => {
    const [row] = await run<{ open: number }>(
      this.pool,
      sql`select count(*)::int as open from verification where value = ${reset.user.id} and "expiresAt" > now()`,
    );
    if ((row?.open ?? 0) <= MAX_OPEN_RESETS) this.mailer.send(resetMail(reset, this.settings));
  };

  /** The token was in a mail to the address, and so proves it, too. */
  readonly onReset = async (userId: string): Promise<void> => {
    await this.endResetsOf(userId);
    await run(this.pool, sql`update "user" set "emailVerified" = true where id = ${userId}`);
  };

  readonly sendVerification = async (verification: AddressVerification): Promise<void> => {
    const { updateTo } = (await readMailedToken(verification.token, this.settings.authSecret)) ?? {};
    if (updateTo !== undefined) this.mailer.send(emailChangeMail(verification, this.settings));
    else if (await this.mayMail(verification.user.id)) this.mailer.send(verificationMail(verification, this.settings));
  };

  readonly onExistingSignUp = async (user: ExistingUser): Promise<void> => {
    if ((await this.maySignIn(user.id)) && (await this.mayMail(user.id)))
      this.mailer.send(existingAccountMail(user, this.settings));
  };

  readonly maySignIn = async (userId: string): Promise<boolean> => {
    const unverified = sql`select 1 from "user" where id = ${userId} and "mustVerify" and not "emailVerified"`;
    return (await run(this.pool, unverified)).length === 0;
  };

  /** Bounds the mails that unauthenticated requests can send to an address: one a minute. */
  private async mayMail(userId: string): Promise<boolean> {
    const mailed = await run(
      this.pool,
      sql`
        update "user" set "verificationMailedAt" = now()
        where id = ${userId} and coalesce("verificationMailedAt" < now() - interval '1 minute', true) returning id`,
    );
    return mailed.length > 0;
  }

  /** Ends the links of password resets that were sent to a person. */
  async endResetsOf(userId: string): Promise<void> {
    await run(this.pool, sql`delete from verification where value = ${userId}`);
  }
}
