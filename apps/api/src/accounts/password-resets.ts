import type { Settings } from '@ledgerline/platform/config/settings';
import { run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import type { Pool } from 'pg';
import type { PasswordReset, PasswordResetHooks } from './account-library';
import type { Mailer } from './mailer';
import { resetMail } from './reset-mail';

/** Bounds the mails that requests for a reset can send to one address. */
const MAX_OPEN_RESETS = 5;

/** The mails of password resets. The library keeps a row for each link that can still be used. */
export class PasswordResets implements PasswordResetHooks {
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

  readonly onReset = (userId: string): Promise<void> => this.endAllOf(userId);

  /** Ends the links that were sent to a person. */
  async endAllOf(userId: string): Promise<void> {
    await run(this.pool, sql`delete from verification where value = ${userId}`);
  }
}
