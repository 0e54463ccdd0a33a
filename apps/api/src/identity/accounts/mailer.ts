import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { MailSettings } from '@ledgerline/platform/config/service-settings';
import type { Settings } from '@ledgerline/platform/config/settings';
import { newUlid } from '@ledgerline/platform/ids/new-ulid';
import type { Logger } from '@ledgerline/platform/logging/logger';
import { mailTransport } from '@ledgerline/platform/outbound/mail-transport';
import { LOGGER, SETTINGS } from '../../tokens';
import type { Person } from './people';

const DAY_MS = 86_400_000;

/**
 * The mails of an installation without a mail server, a file for each, named so that they sort by time. They are deleted
 * after some days, or when their person is erased.
 */
@Injectable()
export class MailFiles {
  private readonly folder: string;
  private readonly keptMs: number;

  constructor(@Inject(SETTINGS) { dataDir, mailFileDays }: Pick<Settings, 'dataDir' | 'mailFileDays'>) {
    this.folder = join(dataDir, 'mails');
    this.keptMs = mailFileDays * DAY_MS;
  }

  /** The path of the file. */
  async write({ to, subject, text, userId }: Mail): Promise<string> {
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
    const file = join(this.folder, `${newUlid()}.txt`);
    const head = [toLine(to), ...(userId === undefined ? [] : [accountLine(userId)]), `Subject: ${subject}`];
    await writeFile(file, `${head.join('\n')}\n\n${text}\n`, { mode: 0o600, flag: 'wx' });
    return file;
  }

  /** Deletes what was sent to an address. */
  removeTo(email: string): Promise<void> {
    return this.removeWith([toLine(email)]);
  }

  /** Deletes what was sent to a person, also to an earlier address of the account. */
  removeOf({ id, email }: Pick<Person, 'id' | 'email'>): Promise<void> {
    return this.removeWith([toLine(email), accountLine(id)]);
  }

  /** Deletes what is older than they are kept, and returns its number. */
  async sweep(now: Date): Promise<number> {
    const files = await this.files();
    const ages = await Promise.all(files.map(async (file) => now.getTime() - (await writtenAt(file))));
    const old = files.filter((_, at) => (ages[at] ?? 0) > this.keptMs);
    await Promise.all(old.map((file) => rm(file, { force: true })));
    return old.length;
  }

  private async removeWith(lines: readonly string[]): Promise<void> {
    for (const file of await this.files()) {
      const [head = ''] = (await readFile(file, 'utf8').catch(ifGone(''))).split('\n\n', 1);
      if (head.split('\n').some((line) => lines.includes(line))) await rm(file, { force: true });
    }
  }

  private async files(): Promise<string[]> {
    const names = await readdir(this.folder).catch(ifGone<string[]>([]));
    return names.map((name) => join(this.folder, name));
  }
}

const writtenAt = (file: string): Promise<number> => stat(file).then(({ mtimeMs }) => mtimeMs, ifGone(Infinity));

/** Another process may delete the same files. */
const ifGone =
  <T>(otherwise: T) =>
  (error: NodeJS.ErrnoException): T => {
    if (error.code === 'ENOENT') return otherwise;
    throw error;
  };

/** Addresses are compared without regard to case. */
const toLine = (email: string): string => `To: ${email.toLowerCase()}`;

const accountLine = (userId: string): string => `Account: ${userId}`;

/** Sends mails in the background: an answer shows neither whether nor when a mail leaves. */
@Injectable()
export class Mailer implements OnApplicationShutdown {
  /** Pauses before the second and the third attempt. */
  protected readonly pausesMs: readonly number[] = [1_000, 10_000];
  private readonly deliver: MailDelivery;
  private readonly unsent = new Set<Promise<void>>();
  private readonly stopping = new AbortController();

  constructor(
    @Inject(SETTINGS) { mail }: Settings,
    @Inject(LOGGER) private readonly logger: Logger,
    files: MailFiles,
  ) {
    this.deliver = mailDelivery(mail, logger, files);
  }

  /** Never fails: a mail that cannot be delivered is logged without its text and address. */
  send(mail: Mail): void {
    const sent = this.attempt(mail, this.pausesMs).finally(() => this.unsent.delete(sent));
    this.unsent.add(sent);
  }

  /** Awaits the attempts under way. */
  async onApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await Promise.all(this.unsent);
  }

  private async attempt(mail: Mail, [pauseMs, ...pauses]: readonly number[]): Promise<void> {
    try {
      await this.deliver(mail);
    } catch (error) {
      const { code, responseCode = 0 } = error as { readonly code?: string; readonly responseCode?: number };
      const isLast = pauseMs === undefined || responseCode >= 500 || this.stopping.signal.aborted;
      this.logger.warn({ subject: mail.subject, code, responseCode, isLast }, 'a mail could not be delivered');
      if (isLast) return;
      await delay(pauseMs, undefined, { signal: this.stopping.signal, ref: false }).catch(() => undefined);
      await this.attempt(mail, pauses);
    }
  }
}

/** A mail of plain text to one address. */
export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  /** The id of the account that it is about; absent where the address may have none. */
  readonly userId?: string;
}

interface Files {
  /** The path of the file that holds the mail. */
  write(mail: Mail): Promise<string>;
}

/** Resolves when the mail has been handed over. */
type MailDelivery = (mail: Mail) => Promise<void>;

function mailDelivery(settings: MailSettings, logger: Logger, files: Files): MailDelivery {
  if (settings.by === 'smtp') {
    const send = mailTransport(settings);
    return async ({ to, subject, text }) => void (await send({ to, subject, text }));
  }
  return async (mail) => {
    if (settings.by === 'files') {
      const file = await files.write(mail);
      logger.info({ file }, 'a mail is in a file, because SMTP_URL is not set');
    } else logger.warn({ subject: mail.subject }, 'a mail was not sent, because SMTP_URL is not set');
  };
}
