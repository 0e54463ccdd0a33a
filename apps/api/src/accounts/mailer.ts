import { setTimeout as delay } from 'node:timers/promises';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { Settings } from '@ledgerline/platform/config/settings';
import type { Logger } from '@ledgerline/platform/logging/logger';
import { LOGGER, SETTINGS } from '../tokens';
import { MailFiles } from './mail-files';
import { mailDelivery, type Mail, type MailDelivery } from './mail-delivery';

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
