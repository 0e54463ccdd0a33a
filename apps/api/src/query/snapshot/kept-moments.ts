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

  /** @throws ReadStoreUnavailable */
  async all(): Promise<readonly AnsweredMoment[]> {
    const moments = await this.read();
    return Promise.all(moments.map((moment) => this.open(moment)));
  }

  /** @throws Problem VALIDATION_ERROR · ReadStoreUnavailable */
  async find(name: string): Promise<AnsweredMoment> {
    const moment = MOMENT_NAME.test(name) ? (await this.read()).find((each) => each.name === name) : undefined;
    if (moment) return this.open(moment);
    const opened = this.opened.get(name);
    this.opened.delete(name);
    await opened?.stores.close();
    throw invalid([{ field: 'snapshot', message: 'Must be a snapshot that there is.' }]);
  }

  private async read(): Promise<readonly KeptMoment[]> {
    const [first] = this.live.all;
    const stored = first ? await onReadStore(() => readMoments(first.pool)) : [];
    return stored.flatMap(({ moment }) => moment ?? []);
  }

  private async open(moment: KeptMoment): Promise<AnsweredMoment> {
    const { name, madeAt } = moment;
    const opened = this.opened.get(name);
    if (madeAt === opened?.madeAt) return opened;
    const urls = this.settings.readDatabaseUrls.map((url) => urlOfMoment(url, name));
    const found = { ...moment, stores: ReadStores.open(urls, this.main) };
    this.opened.set(name, found);
    await opened?.stores.close();
    return found;
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all([...this.opened.values()].map(({ stores }) => stores.close()));
  }
}
