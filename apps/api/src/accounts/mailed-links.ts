import type { Settings } from '@ledgerline/platform/config/settings';
import { run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import type { Pool } from 'pg';
import type { AccountHooks, EmailChange, PasswordReset } from './account-library';
import { emailChangeMail, resetMail } from './account-mails';
import type { Mailer } from './mailer';

/** Bounds the mails that requests for a reset can send to one address. */
const MAX_OPEN_RESETS = 5;

/** The mails with which people change password and address. The library keeps a row for each reset that can still be used. */
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

  readonly onReset = (userId: string): Promise<void> => this.endResetsOf(userId);

  readonly sendEmailChange = (change: EmailChange): Promise<void> => {
    this.mailer.send(emailChangeMail(change, this.settings));
    return Promise.resolve();
  };

  /** Ends the links of password resets that were sent to a person. */
  async endResetsOf(userId: string): Promise<void> {
    await run(this.pool, sql`delete from verification where value = ${userId}`);
  }
}
