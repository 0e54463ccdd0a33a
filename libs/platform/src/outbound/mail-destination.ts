import { createHmac } from 'node:crypto';
import { isSameSecret } from '../api-keys/secret-store';
import type { Settings } from '../config/settings';
import { type MailServer, type SentMail, mailTransport } from './mail-transport';
import type { WebhookAnswer, WebhookTarget } from './webhook';

/** What a mail is made of: its address is encrypted with the secret of its links. */
export type MailTarget = Pick<WebhookTarget, 'url' | 'secrets'>;

const SCHEME = 'mailto:';

export const mailAddress = (address: string): string => SCHEME + address;

export const addressIn = ({ url }: MailTarget): string => url.slice(SCHEME.length);

/** The part of an address that may be seen: not the name. */
export const maskedAddress = (url: string): string => `…${url.slice(url.lastIndexOf('@'))}`;

/** The purposes of links in mails, each a page of a destination. */
export type MailLink = 'confirm' | 'unsubscribe';

/**
 * The token of a link; only who reads the mails of this address has it. `until` is when it ends, epoch ms; null = never.
 * @throws Error of a target without a secret
 */
export function linkToken({ secrets }: MailTarget, link: MailLink, id: string, until: number | null): string {
  const [current] = secrets;
  if (!current?.secret) throw new Error(`The destination ${id} has no secret for the links of its mails.`);
  const mac = createHmac('sha256', current.secret).update(`${link} ${id} ${until}`);
  return `${until ?? ''}.${mac.digest('base64url')}`;
}

export function isLinkToken(target: MailTarget, link: MailLink, id: string, token: string, now: number): boolean {
  const [end = ''] = token.split('.');
  const until = end === '' ? null : Number(end);
  if (link === 'confirm' && (until === null || !(until > now))) return false;
  return isSameSecret(token, linkToken(target, link, id, until));
}

type Addresses = Pick<Settings, 'publicApiUrl'>;

export const mailLink = (of: Addresses, link: MailLink, id: string, token: string): string =>
  `${of.publicApiUrl}/v1/destinations/${id}/${link}?token=${token}`;

interface DestinationMail {
  readonly destinationId: string;
  /** Of the delivery. */
  readonly id: string;
  /** Lines; the first one is the subject. */
  readonly body: string;
  /** In place of the lines; null = there is nothing else. */
  readonly html: string | null;
}

/** A mail of a delivery, from whose id that of the mail comes. */
type DeliveryMail = Omit<SentMail, 'messageId'> & { readonly id: string };

/** A mail server that has accepted it says so with 250. */
const ACCEPTED = 250;
/** Longer than a server may take for one step; shorter than a destination belongs to a process. */
const TIMEOUT_MS = 15_000;
const MAX_TEXT = 1_024;
const MAX_SUBJECT = 200;

/** Where the HTML of a mail has the link that ends its mails: no text of others can hold it, as theirs is escaped. */
export const UNSUBSCRIBE_MARK = '<!--unsubscribe-->';

/** `link` is null where there is nobody to unsubscribe. */
export const withUnsubscribing = (html: string, link: string | null): string => {
  const text = 'No more of these mails';
  return html.replace(UNSUBSCRIBE_MARK, () => (link === null ? text : `<a href="${escaped(link)}">${text}</a>`));
};

/** Sends mails of deliveries; without a mail server they wait. */
export class DeliveryMails {
  private readonly transport: ReturnType<typeof mailTransport> | undefined;

  constructor(private readonly settings: Pick<Settings, 'publicApiUrl' | 'mail'>) {
    const { mail } = settings;
    this.transport = isMailServer(mail) ? mailTransport(mail) : undefined;
  }

  /** Sends a message to a destination, with links that end its mails. @throws as `send` */
  deliver(target: MailTarget, { destinationId, id, body, html }: DestinationMail, stopping: AbortSignal) {
    const token = linkToken(target, 'unsubscribe', destinationId, null);
    const stop = mailLink(this.settings, 'unsubscribe', destinationId, token);
    const lines = body.split('\n');
    const paragraphs = `<!doctype html>\n${lines.map((line) => `<p>${escaped(line)}</p>`).join('\n')}\n<p>${UNSUBSCRIBE_MARK}</p>\n`;
    const mail = {
      id,
      to: addressIn(target),
      subject: lines[0] ?? '',
      text: `${body}\n\nNo more of these mails:\n${stop}\n`,
      html: withUnsubscribing(html ?? paragraphs, stop),
      headers: { 'List-Unsubscribe': `<${stop}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' },
    };
    return this.send(mail, stopping);
  }

  /** Sends one mail. @throws the signal's reason when it is aborted: then it may have arrived or not */
  async send({ id, subject, headers, ...mail }: DeliveryMail, stopping: AbortSignal): Promise<WebhookAnswer> {
    if (!this.transport) return { status: null, text: 'There is no mail server: set SMTP_URL.', retryAfterMs: null };
    const timeout = AbortSignal.timeout(TIMEOUT_MS);
    const signal = AbortSignal.any([timeout, stopping]);
    try {
      const sent = this.transport({
        ...mail,
        subject: subject.replaceAll(/\s+/g, ' ').slice(0, MAX_SUBJECT),
        messageId: `<${id}@${new URL(this.settings.publicApiUrl).hostname}>`,
        headers: { 'Auto-Submitted': 'auto-generated', ...headers },
      });
      const text = await Promise.race([sent, rejectedBy(signal)]);
      return { status: ACCEPTED, text: shown(text, mail.to), retryAfterMs: null };
    } catch (error) {
      stopping.throwIfAborted();
      if (timeout.aborted)
        return { status: null, text: `There was no answer within ${TIMEOUT_MS / 1_000} s.`, retryAfterMs: null };
      return answerIn(error as SmtpError, mail.to);
    }
  }
}

export const isMailServer = (mail: Settings['mail']): mail is MailServer => mail.by === 'smtp';

interface SmtpError extends Error {
  readonly code?: string;
  readonly command?: string;
  readonly responseCode?: number;
  readonly response?: string;
}

/** Only what is said of the recipient or the message is an answer to it: a wrong password or sender is ours to repair. */
function answerIn({ command, responseCode, response, message }: SmtpError, address: string): WebhookAnswer {
  const isOfAddress = command === 'RCPT TO';
  const isOfMessage = isOfAddress || command === 'DATA';
  return {
    status: isOfMessage ? (responseCode ?? null) : null,
    text: shown(response ?? message, address),
    retryAfterMs: null,
    isGone: isOfAddress && (responseCode ?? 0) >= 500,
  };
}

/** Answers name the address, which is only kept encrypted. */
function shown(text: string, address: string): string {
  const name = address.slice(0, address.lastIndexOf('@'));
  const without = [address, name].reduce((kept, part) => replacedIn(kept, part), text);
  return without.slice(0, MAX_TEXT);
}

const replacedIn = (text: string, part: string): string =>
  text.replaceAll(new RegExp(part.replaceAll(/[^\p{L}\p{N}]/gu, String.raw`\$&`), 'gi'), '…');

const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

const rejectedBy = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
