import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { Pool } from 'pg';
import type { ObservedEvent } from '@ledgerline/contracts/events/observed-events';
import type { IntakeLog } from '@ledgerline/platform/intake-log/intake-log';
import { openIntakeLog } from '@ledgerline/platform/intake-log/postgres-intake-log';
import { createLogger } from '@ledgerline/platform/logging/logger';
import { ReadStores } from '@ledgerline/platform/read-stores/read-stores';
import { ProjectedPositions } from '../../apps/api/src/query/execution/projected-positions';
import { POOL } from '../../apps/api/src/tokens';
import { ProjectorModule } from '../../apps/projector/src/projector.module';
import { addRunningProcesses } from '../api/running-processes';
import { startTestApi, type TestApi } from '../api/test-api';

/** An api and a projector of one installation, which may have others beside them. */
export interface StoreProduct {
  readonly api: TestApi;
  readonly log: IntakeLog;
  /** Records events of a website or link. */
  send(subject: string, events: readonly ObservedEvent[]): Promise<void>;
  /** Resolves when the read models include everything that was sent of a subject. */
  includes(group: 'websites' | 'links', subject: string): Promise<boolean>;
  /** The place of the read store of a subject. */
  placeOf(subject: string): Promise<number>;
  close(): Promise<void>;
}

export type Variables = Readonly<Record<string, string>>;

export async function startStoreProduct(variables: Variables): Promise<StoreProduct> {
  const api = await startTestApi({ LOG_LEVEL: 'info', ...variables });
  const projector = await startProjector(api);
  await addRunningProcesses(api.app.get<Pool>(POOL)); // in the place of a tracker
  const log = await openIntakeLog({ databaseUrl: api.settings.databaseUrl });
  const newest = new Map<string, ReadonlyMap<number, string>>();
  return {
    api,
    log,
    async send(subject, events) {
      const hits = events.map((event) => ({ event, subject, dedupe: '48h' as const }));
      if (hits.length > 0) newest.set(subject, (await log.send(hits)).positions);
    },
    includes(group, subject) {
      const offsets = [...(newest.get(subject) ?? [])].map(([at, cursor]) => [at, Number(cursor)] as const);
      const position = { observed: new Map(offsets), until: performance.now() + 60_000 };
      return api.app.get(ProjectedPositions).include(position, group, subject);
    },
    placeOf: async (subject) => (await api.app.get(ReadStores).locate(subject)).store.place,
    async close() {
      await Promise.all([projector.close(), log.close()]);
      await api.close();
    },
  };
}

/** A projector of the same installation, or, with other variables, of what it is to become. */
export function startProjector(
  { settings }: Pick<TestApi, 'settings'>,
  changed: Partial<TestApi['settings']> = {},
  lines: string[] = [],
): Promise<INestApplicationContext> {
  const logger = createLogger('projector', 'info', { write: (line) => lines.push(line) });
  const port = { projectorMetricsPort: 0 };
  const module = ProjectorModule.with({ ...settings, ...port, ...changed }, logger);
  return NestFactory.createApplicationContext(module, { logger: false, abortOnError: false });
}
