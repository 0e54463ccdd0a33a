import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { SMTPServer } from 'smtp-server';
import { waitUntil } from '../wait-until';

/** A mail that a server was sent: the envelope, and the message with its headers. */
interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  readonly message: string;
}

export interface SmtpServer {
  readonly url: string;
  readonly mails: readonly ReceivedMail[];
  /** Resolves with the next mail that has not been taken yet. */
  take(): Promise<ReceivedMail>;
  /** Replies to the recipients to come, in order; without one they are accepted. */
  readonly replies: string[];
  /** Replies to the messages to come. */
  readonly dataReplies: string[];
  close(): Promise<void>;
}

/** A mail server on loopback that keeps what it is sent. */
export async function startSmtpServer(port = 0): Promise<SmtpServer> {
  const mails: ReceivedMail[] = [];
  const replies: string[] = [];
  const dataReplies: string[] = [];
  let taken = 0;
  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    disableReverseLookup: true,
    closeTimeout: 1,
    onRcptTo: (_, __, done) => done(failureIn(replies.shift())),
    onData: (stream, { envelope }, done) => {
      const { mailFrom, rcptTo } = envelope;
      void text(stream).then((message) => {
        const failure = failureIn(dataReplies.shift());
        if (!failure)
          mails.push({
            from: mailFrom === false ? '' : mailFrom.address,
            to: rcptTo.map(({ address }) => address),
            message: message.replaceAll('\r\n', '\n').trimEnd(),
          });
        done(failure);
      }, done);
    },
  });
  server.on('error', () => undefined); // a client that goes away
  server.listen(port, '127.0.0.1');
  await once(server.server, 'listening');
  return {
    url: `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}`,
    mails,
    replies,
    dataReplies,
    take: async () => {
      taken += 1;
      const wanted = taken;
      return waitUntil(() => mails[wanted - 1]);
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/** `451 try again later`; nothing where it is accepted. */
function failureIn(reply: string | undefined): Error | null {
  if (reply === undefined) return null;
  const [code = '', ...words] = reply.split(' ');
  return Object.assign(new Error(words.join(' ')), { responseCode: Number(code) });
}

/** The text of a message in quoted-printable or 7bit. */
export function textOf({ message }: ReceivedMail): string {
  const [headers = '', ...parts] = message.split('\n\n');
  const body = parts.join('\n\n');
  if (!/^content-transfer-encoding: quoted-printable/im.test(headers)) return body;
  const bytes = body.replaceAll(/=\n/g, '').replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => `%${hex}`);
  return bytes.replaceAll(/(%[0-9A-F]{2})+/g, (encoded) => decodeURIComponent(encoded));
}
