import type { Recorded } from '@ledgerline/contracts/events/decided-events';
import { SaltCache } from '@ledgerline/platform/salts/salt-cache';
import type { Logger } from '@ledgerline/platform/logging/logger';
import { LiveRegistry, type EventFold } from '@ledgerline/platform/registry/live-registry';
import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { LOGGER } from '../tokens';

const DROP_EVERY_MS = 60_000;
const PREFETCH_EVERY_MS = 3_600_000;

/** The organizations that have short links. */
export class LinkOwners implements EventFold {
  readonly types = ['LinkCreated'];
  readonly ids = new Set<string>();
  /** Called with every organization that creates its first short link. */
  onNew: (organizationId: string) => void = () => undefined;

  load({ linkOwners }: { readonly linkOwners: readonly string[] }): void {
    for (const id of linkOwners) this.ids.add(id);
  }

  apply(event: Recorded): void {
    if (event.type !== 'LinkCreated' || this.ids.has(event.data.organizationId)) return;
    this.ids.add(event.data.organizationId);
    this.onNew(event.data.organizationId);
  }
}

/** Loads the salts of short links before the first click needs them, and drops expired ones. */
@Injectable()
export class SaltPrefetcher implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly timers: NodeJS.Timeout[] = [];

  constructor(
    @Inject(SaltCache) private readonly salts: SaltCache,
    @Inject(LiveRegistry) private readonly live: LiveRegistry,
    @Inject(LinkOwners) private readonly owners: LinkOwners,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    await this.live.caughtUp;
    await this.prefetch([...this.owners.ids]);
    this.owners.onNew = (organizationId) => void this.prefetch([organizationId]);
    this.timers.push(
      setInterval(() => this.salts.dropExpired(), DROP_EVERY_MS),
      setInterval(() => void this.prefetch([...this.owners.ids]), PREFETCH_EVERY_MS),
    );
  }

  onApplicationShutdown(): void {
    this.timers.forEach((timer) => clearInterval(timer));
  }

  private prefetch(organizations: readonly string[]): Promise<void> {
    return this.salts.prepare(organizations, 'daily').catch((err: unknown) => {
      this.logger.warn({ err }, 'the salts of short links cannot be loaded ahead');
    });
  }
}
