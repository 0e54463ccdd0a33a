import { randomBytes } from 'node:crypto';
import { openDataSource } from '@ledgerline/platform/database/data-source';
import { openPool } from '@ledgerline/platform/database/pool';
import { knownForever } from '@ledgerline/platform/intake-log/deduplication';
import type { IntakeLog } from '@ledgerline/platform/intake-log/intake-log';
import { openIntakeLog } from '@ledgerline/platform/intake-log/intake-log.factory';
import { ImportSecret } from '@ledgerline/platform/salts/import-secret.entity';
import { SALT_BYTES, SaltStore } from '@ledgerline/platform/salts/salt-store';
import { Salt } from '@ledgerline/platform/salts/salt.entity';

/** An import may wait out a restart of the database: nothing it sends twice counts twice. */
const RETRY_FOR_MS = 60_000;

interface Destination {
  readonly log: Pick<IntakeLog, 'send' | 'close'>;
  /** The website's import secret. */
  readonly secret: Buffer;
}

/** Where imported page views go; a dry run only looks which of them are there, and creates no secret. */
export async function openDestination(databaseUrl: string, websiteId: string, dryRun: boolean): Promise<Destination> {
  const secret = await importSecret(databaseUrl, websiteId, dryRun);
  const log = dryRun ? lookingOnly(databaseUrl) : await openIntakeLog({ databaseUrl, retryForMs: RETRY_FOR_MS });
  return { log, secret };
}

function lookingOnly(databaseUrl: string): Destination['log'] {
  const pool = openPool({ url: databaseUrl, name: 'import', max: 1 });
  return {
    send: async (hits) => {
      const known = await knownForever(
        pool,
        hits.map(({ event }) => event.id),
      );
      const outcomes = hits.map(({ event }) => (known.has(event.id) ? 'duplicate' : 'stored'));
      return { outcomes, positions: new Map() };
    },
    close: () => pool.end(),
  };
}

async function importSecret(url: string, websiteId: string, dryRun: boolean): Promise<Buffer> {
  const source = await openDataSource({ url, name: 'import', max: 1, entities: [Salt, ImportSecret] });
  try {
    if (!dryRun) return await new SaltStore(source).importSecret(websiteId);
    const existing = await source.getRepository(ImportSecret).findOneBy({ websiteId });
    return existing?.secret ?? randomBytes(SALT_BYTES);
  } finally {
    await source.destroy();
  }
}
