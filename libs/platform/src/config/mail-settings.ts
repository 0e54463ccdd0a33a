import type { Environment } from './environment';

/** How mails leave: by SMTP, into files of the data directory, or not at all. */
export type MailSettings =
  | { readonly by: 'smtp'; readonly url: string; readonly from: string }
  | { readonly by: 'files' }
  | { readonly by: 'nothing' };

const URL_EXAMPLE = 'smtps://user:password@mail.example.com:465';
const ADDRESS = String.raw`[^\s<>@,;"]+@[^\s<>@,;"]+`;
const SENDER = new RegExp(String.raw`^(?:${ADDRESS}|[^<>\p{Cc}]*<${ADDRESS}>)$`, 'u');

export function mailSettings(env: Environment): MailSettings {
  const toFiles = env.flag('MAIL_TO_FILES');
  const url = env.optional('SMTP_URL');
  const from = env.optional('MAIL_FROM');
  if (url === undefined && from === undefined) return { by: toFiles ? 'files' : 'nothing' };
  if (url === undefined) env.wrong(`MAIL_FROM is set without SMTP_URL, which must be ${URL_EXAMPLE} or the like.`);
  if (from === undefined) env.wrong('MAIL_FROM is missing; with SMTP_URL it must be the sender of the mails.');
  if (from !== undefined && !SENDER.test(from))
    env.wrong(`MAIL_FROM is "${from}"; it must be an address such as Ledgerline <stats@example.com>.`);
  return { by: 'smtp', url: env.connection('SMTP_URL', url ?? '', /^smtps?:\/\/./, URL_EXAMPLE), from: from ?? '' };
}
