import { isLoopbackHost } from '@ledgerline/platform/http/address';
import type { MailSettings } from '@ledgerline/platform/config/mail-settings';
import type { Logger } from '@ledgerline/platform/logging/logger';
import { createTransport } from 'nodemailer';

/** A mail of plain text to one address. */
export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

/** Resolves when the mail has been handed over. */
export type MailDelivery = (mail: Mail) => Promise<void>;

export function mailDelivery(settings: MailSettings, logger: Logger): MailDelivery {
  if (settings.by === 'smtp') return bySmtp(settings);
  return (mail) => {
    if (settings.by === 'log') logger.info({ mail }, 'a mail; it is only logged, because SMTP_URL is not set');
    else logger.warn({ subject: mail.subject }, 'a mail was not sent, because SMTP_URL is not set');
    return Promise.resolve();
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
