import type { DataSource } from 'typeorm';
import { StartFailure } from '../../../config/start-failure';
import { SqlMigration } from '../sql-migration';
import { PEOPLE } from './accounts';
import { BESIDE_THE_LOGS } from './beside-the-logs';
import { EVENT_STORE } from './event-store';
import { INTAKE_LOG } from './intake-log';
import { READ_MODELS } from './read-models';

/** The newest commit whose migrations the baselines replace. */
const REPLACED_UP_TO = '51b59124';

/** What every database of read models needs. */
export class ReadModelBaseline1764000001240 extends SqlMigration {
  static readonly replaces: readonly string[] = [
    'ReadModels1764000000100',
    'Dictionary1764000000600',
    'CheckpointDigests1764000000970',
    'TableVersions1764000001000',
    'ParkedEvents1764000001010',
    'Reconciliations1764000001020',
    'ReconciledDays1764000001060',
    'CountedTexts1764000001240',
  ];
  protected readonly statements = READ_MODELS;
}

/** What the main database needs besides: the logs, accounts, and what is kept beside the logs. */
export class Baseline1764000001241 extends SqlMigration {
  static readonly replaces: readonly string[] = [
    'EventStore1764000000200',
    'IntakeLog1764000000300',
    'ApiKeys1764000000400',
    'Accounts1764000000410',
    'Salts1764000000500',
    'KeyLeases1764000000700',
    'InvitationAddresses1764000000800',
    'SubjectAndSigningKeys1764000000910',
    'ProfileKeys1764000000920',
    'OAuth1764000000930',
    'IntakeStore1764000000940',
    'SealedHeads1764000000960',
    'CopiedTopics1764000000980',
    'MonitorSchedule1764000000990',
    'HitTraces1764000001050',
    'HeadStatements1764000001100',
    'Processes1764000001140',
    'MessageTags1764000001150',
    'NewestRevocations1764000001160',
    'ResumedMonitors1764000001210',
    'VerifiedAccounts1764000001220',
  ];
  protected readonly statements = EVENT_STORE + INTAKE_LOG + PEOPLE + BESIDE_THE_LOGS;
}

/**
 * Records a baseline as applied where the migrations that it replaces have made its schema.
 * @throws StartFailure where only some of them have
 */
export async function recogniseBaselines(source: DataSource): Promise<void> {
  const [{ exists }] = await source.query<[{ exists: boolean }]>(
    `select to_regclass('migrations') is not null as exists`,
  );
  if (!exists) return;
  const rows = await source.query<{ name: string }[]>('select name from migrations');
  const applied = new Set(rows.map(({ name }) => name));
  for (const { name, replaces } of [ReadModelBaseline1764000001240, Baseline1764000001241]) {
    const missing = replaces.filter((each) => !applied.has(each));
    if (applied.has(name) || missing.length === replaces.length) continue;
    if (missing.length > 0)
      throw new StartFailure(
        `The database has the schema of an earlier version, without ${missing[0]} and what follows: ` +
          `start the version of commit ${REPLACED_UP_TO} once, which brings it up to date, and then this one.`,
      );
    await source.query('insert into migrations (timestamp, name) values ($1, $2)', [name.slice(-13), name]);
  }
}
