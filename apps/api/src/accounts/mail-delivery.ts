import { isLoopbackHost } from '@ledgerline/platform/http/address';
import type { MailSettings } from '@ledgerline/platform/config/mail-settings';
import type { Logger } from '@ledgerline/platform/logging/logger';
import { createTransport } from 'nodemailer';

/** A mail of plain text to one address. */
export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  /** Of the account that it is about; absent where the address may have none. */
  readonly userId?: string;
}

interface Files {
  /** The path of the file that holds the mail. */
  write(mail: Mail): Promise<string>;
}

/** Resolves when the mail has been handed over. */
export type MailDelivery = (mail: Mail) => Promise<void>;

export function mailDelivery(settings: MailSettings, logger: Logger, files: Files): MailDelivery {
  if (settings.by === 'smtp') return bySmtp(settings);
  return async (mail) => {
    if (settings.by === 'files') {
      const file = await files.write(mail);
      logger.info({ file }, 'a mail is in a file, because SMTP_URL is not set');
    } else logger.warn({ subject: mail.subject }, 'a mail was not sent, because SMTP_URL is not set');
  };
}

const TIMEOUT_MS = 10_000;

function bySmtp({ url, from }: { readonly url: string; readonly from: string }): MailDelivery {
  const { username, hostname } = new URL(url);
  const transport = createTransport(
    {
      url,
      // a password leaves this machine encrypted or not at all
      requireTLS: username !== '' && !isLoopbackHost(hostname),
      connectionTimeout: TIMEOUT_MS,
      greetingTimeout: TIMEOUT_MS,
      socketTimeout: TIMEOUT_MS,
      disableFileAccess: true,
      disableUrlAccess: true,
    },
    { from },
  );
  return async ({ to, subject, text }) => {
    await transport.sendMail({ to: { name: '', address: to }, subject, text }); // an object is never read as a list
  };
}
