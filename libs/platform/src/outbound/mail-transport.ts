import { createTransport } from 'nodemailer';
import type { MailSettings } from '../config/service-settings';
import { isLoopbackHost } from '../http/address';

/** The mail server of an installation. */
export type MailServer = Extract<MailSettings, { readonly by: 'smtp' }>;

/** A mail to one address. */
export interface SentMail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html?: string;
  readonly messageId?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const TIMEOUT_MS = 10_000;

/** Hands mails over to a server; resolves with what it answered. */
export function mailTransport({ url, from }: MailServer): (mail: SentMail) => Promise<string> {
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
  return async ({ to, ...mail }) => {
    const { response } = await transport.sendMail({ ...mail, to: { name: '', address: to } }); // an object is never read as a list
    return response;
  };
}
