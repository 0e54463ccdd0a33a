import { Inject, Injectable } from '@nestjs/common';
import type { Settings } from '@ledgerline/platform/config/settings';
import { isBadData } from '@ledgerline/platform/database/database-errors';
import { authRequired, conflict, invalid } from '../../http/problems';
import { SETTINGS } from '../../tokens';
import { emailChangedMail } from './account-mails';
import { Accounts, cookieHeaders } from './accounts';
import { readMailedToken } from './mailed-links';
import { MailFiles, Mailer } from './mailer';

/** The change of address that the token of a mail is for. */
export interface NewAddress {
  readonly from: string;
  readonly to: string;
}

/** Confirmed changes of the addresses of accounts. */
@Injectable()
export class EmailChanges {
  constructor(
    private readonly accounts: Accounts,
    private readonly files: MailFiles,
    private readonly mailer: Mailer,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** Undefined for a token that is not of a mail of ours, or is over. */
  async read(token: string): Promise<NewAddress | undefined> {
    const { email, updateTo } = (await readMailedToken(token, this.settings.authSecret)) ?? {};
    return email !== undefined && updateTo !== undefined ? { from: email, to: updateTo } : undefined;
  }

  /** Takes the session of the account, so that a token alone changes nothing. @throws Problem for a wrong token */
  async confirm(cookie: string | undefined, token: string): Promise<Headers> {
    const before = await this.accounts.personOf({ cookie });
    if (!before) throw authRequired();
    // the token of a new account would verify its address without its password
    if (!(await this.read(token))) throw invalid([{ field: 'token', message: 'Invalid token' }]);
    const request = { query: { token }, headers: cookieHeaders(cookie), returnHeaders: true as const };
    const { headers } = await this.accounts
      .call((api) => api.verifyEmail(request))
      .catch((error: unknown) => {
        // another account has taken the address since the mail was sent
        throw isBadData(error) ? conflict('This address has an account already') : error;
      });
    await this.accounts.endResetsOf(before.id);
    await this.files.removeTo(before.email);
    this.mailer.send(emailChangedMail(before, this.settings));
    return headers;
  }
}
