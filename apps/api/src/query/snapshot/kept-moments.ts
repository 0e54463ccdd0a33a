import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { Pool } from 'pg';
import type { Settings } from '@ledgerline/platform/config/settings';
import { type KeptMoment, MOMENT_NAME, readMoments, urlOfMoment } from '@ledgerline/platform/read-stores/kept-moments';
import { onReadStore, ReadStores } from '@ledgerline/platform/read-stores/read-stores';
import { invalid } from '../../http/problems';
import { POOL, SETTINGS } from '../../tokens';

/** A moment that questions are answered of, with the read stores that have it. */
export interface AnsweredMoment extends KeptMoment {
  readonly stores: ReadStores;
}

/** The snapshots that there are, with connections to those that were asked for. */
@Injectable()
export class KeptMoments implements OnApplicationShutdown {
  private readonly opened = new Map<string, AnsweredMoment>();

  constructor(
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'readDatabaseUrls'>,
    @Inject(POOL) private readonly main: Pool,
    private readonly live: ReadStores,
  ) {}

  /** @throws Problem VALIDATION_ERROR · ReadStoreUnavailable */
  async find(name: string): Promise<AnsweredMoment> {
    const [first] = this.live.all;
    const stored = first && MOMENT_NAME.test(name) ? await onReadStore(() => readMoments(first.pool)) : [];
    const moment = stored.find((each) => each.name === name)?.moment;
    const opened = this.opened.get(name);
    if (moment && moment.madeAt === opened?.madeAt) return opened;
    this.opened.delete(name);
    await opened?.stores.close();
    if (!moment) throw invalid([{ field: 'snapshot', message: 'Must be a snapshot that there is.' }]);
    const urls = this.settings.readDatabaseUrls.map((url) => urlOfMoment(url, name));
    const found = { ...moment, stores: ReadStores.open(urls, this.main) };
    this.opened.set(name, found);
    return found;
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all([...this.opened.values()].map(({ stores }) => stores.close()));
  }
}
