import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
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
  close(): Promise<void>;
}

/** A mail server on loopback that keeps what it is sent. */
export async function startSmtpServer(): Promise<SmtpServer> {
  const mails: ReceivedMail[] = [];
  const replies: string[] = [];
  const sockets = new Set<Socket>();
  let taken = 0;
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => undefined);
    void converse(socket, replies, (mail) => void mails.push(mail));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`,
    mails,
    replies,
    take: async () => {
      taken += 1;
      const wanted = taken;
      return waitUntil(() => mails[wanted - 1]);
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

async function converse(socket: Socket, replies: string[], receive: (mail: ReceivedMail) => void): Promise<void> {
  const say = (line: string) => socket.write(`${line}\r\n`);
  let from = '';
  let to: string[] = [];
  let message: string[] | undefined;
  say('220 double ESMTP');
  for await (const line of createInterface({ input: socket, crlfDelay: Infinity })) {
    if (message) {
      if (line !== '.') message.push(line.replace(/^\./, ''));
      else {
        receive({ from, to, message: message.join('\n') });
        message = undefined;
        say('250 stored');
      }
      continue;
    }
    const [, command = '', argument = ''] = /^(EHLO|MAIL FROM|RCPT TO|DATA|QUIT)\b:?\s*(.*)$/i.exec(line) ?? [];
    if (command === 'MAIL FROM') {
      from = addressIn(argument);
      to = [];
    }
    const reply = command === 'RCPT TO' ? (replies.shift() ?? '250 ok') : (REPLIES[command] ?? '500 unknown');
    if (command === 'RCPT TO' && reply.startsWith('250')) to.push(addressIn(argument));
    if (command === 'DATA') message = [];
    say(reply);
    if (command === 'QUIT') socket.end();
  }
}

const REPLIES: Readonly<Record<string, string>> = {
  EHLO: '250 double',
  'MAIL FROM': '250 ok',
  DATA: '354 go on',
  QUIT: '221 bye',
};

const addressIn = (argument: string): string => /<([^>]*)>/.exec(argument)?.[1] ?? '';

/** The text of a message in quoted-printable or 7bit. */
export function textOf({ message }: ReceivedMail): string {
  const [headers = '', ...parts] = message.split('\n\n');
  const body = parts.join('\n\n');
  if (!/^content-transfer-encoding: quoted-printable/im.test(headers)) return body;
  const bytes = body.replaceAll(/=\n/g, '').replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => `%${hex}`);
  return bytes.replaceAll(/(%[0-9A-F]{2})+/g, (encoded) => decodeURIComponent(encoded));
}
