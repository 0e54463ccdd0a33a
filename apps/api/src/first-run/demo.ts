import { randomBytes } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Inject, Injectable } from '@nestjs/common';
import { writePrivately } from '@ledgerline/platform/config/private-file';
import type { Settings } from '@ledgerline/platform/config/settings';
import { newSecret } from '@ledgerline/platform/api-keys/secret';
import type { EventStore } from '@ledgerline/platform/event-store/event-store';
import { BEGINNING } from '@ledgerline/platform/log/log-reader';
import type { Pool } from 'pg';
import { EVENT_STORE, POOL, SETTINGS } from '../tokens';
import { alone } from './alone';
import { DemoCommands, type DemoPlan, type DemoThings } from './demo-commands';
import { readJsonFile } from './json-file';

/** What `first-run.json` tells: everything that is needed for a first question. */
export interface FirstRun extends DemoThings {
  readonly apiUrl: string;
  readonly trackUrl: string;
  readonly apiKey: string;
  readonly owner: { readonly email: string; readonly password: string };
}

/**
 * The demo of the first start. Its password and key are drawn before anything is created and kept in a pending file, so
 * that a start after a crash goes on with the same ones; every command is repeated under its own Idempotency-Key.
 */
@Injectable()
export class Demo {
  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(EVENT_STORE) private readonly store: EventStore,
    private readonly commands: DemoCommands,
    @Inject(POOL) private readonly pool: Pool,
  ) {}

  /** Creates the demo when nothing was ever decided here, or finishes one that was interrupted; one process at a time. */
  createIfFirst(): Promise<FirstRun | undefined> {
    return alone(this.pool, 'ledgerline first run', () => this.createOrFinish());
  }

  private async createOrFinish(): Promise<FirstRun | undefined> {
    const pending = join(this.settings.dataDir, 'first-run.pending.json');
    const plan = ((await readJsonFile(pending)) as DemoPlan | undefined) ?? (await this.firstPlan(pending));
    if (!plan) return undefined;
    const { email, password } = plan;
    const firstRun: FirstRun = {
      apiUrl: this.settings.publicApiUrl,
      trackUrl: this.settings.publicTrackUrl,
      ...(await this.commands.create(plan)),
      apiKey: plan.secret,
      owner: { email, password },
    };
    writePrivately(join(this.settings.dataDir, 'first-run.json'), firstRun);
    await rm(pending);
    return firstRun;
  }

  private async firstPlan(pending: string): Promise<DemoPlan | undefined> {
    const { events } = await this.store.read(0, BEGINNING, { max: 1 });
    if (events.length > 0) return undefined;
    const plan: DemoPlan = {
      email: `demo-${randomBytes(3).toString('hex')}@example.com`,
      password: randomBytes(18).toString('base64url'),
      secret: newSecret(),
    };
    await mkdir(this.settings.dataDir, { recursive: true });
    writePrivately(pending, plan);
    return plan;
  }
}
