import type { MigrationInterface } from 'typeorm';
import { ReadModels1764000000100 } from './1764000000100-read-models';
import { EventStore1764000000200 } from './1764000000200-event-store';
import { IntakeLog1764000000300 } from './1764000000300-intake-log';
import { ApiKeys1764000000400 } from './1764000000400-api-keys';
import { Accounts1764000000410 } from './1764000000410-accounts';
import { Salts1764000000500 } from './1764000000500-salts';
import { Dictionary1764000000600 } from './1764000000600-dictionary';
import { KeyLeases1764000000700 } from './1764000000700-key-leases';
import { InvitationAddresses1764000000800 } from './1764000000800-invitation-addresses';
import { SubjectAndSigningKeys1764000000910 } from './1764000000910-subject-and-signing-keys';
import { ProfileKeys1764000000920 } from './1764000000920-profile-keys';
import { OAuth1764000000930 } from './1764000000930-oauth';
import { IntakeStore1764000000940 } from './1764000000940-intake-store';
import { SealedHeads1764000000960 } from './1764000000960-sealed-heads';
import { CheckpointDigests1764000000970 } from './1764000000970-checkpoint-digests';
import { CopiedTopics1764000000980 } from './1764000000980-copied-topics';
import { MonitorSchedule1764000000990 } from './1764000000990-monitor-schedule';
import { TableVersions1764000001000 } from './1764000001000-table-versions';
import { ParkedEvents1764000001010 } from './1764000001010-parked-events';
import { Reconciliations1764000001020 } from './1764000001020-reconciliations';
import { HitTraces1764000001050 } from './1764000001050-hit-traces';
import { ReconciledDays1764000001060 } from './1764000001060-reconciled-days';
import { HeadStatements1764000001100 } from './1764000001100-head-statements';
import { Processes1764000001140 } from './1764000001140-processes';
import { MessageTags1764000001150 } from './1764000001150-message-tags';
import { NewestRevocations1764000001160 } from './1764000001160-newest-revocations';
import { ResumedMonitors1764000001210 } from './1764000001210-resumed-monitors';
import { VerifiedAccounts1764000001220 } from './1764000001220-verified-accounts';
import { CountedTexts1764000001240 } from './1764000001240-counted-texts';

/** In order; a migration that was released is never changed. */
export const MIGRATIONS: readonly (new () => MigrationInterface)[] = [
  ReadModels1764000000100,
  EventStore1764000000200,
  IntakeLog1764000000300,
  ApiKeys1764000000400,
  Accounts1764000000410,
  Salts1764000000500,
  Dictionary1764000000600,
  KeyLeases1764000000700,
  InvitationAddresses1764000000800,
  SubjectAndSigningKeys1764000000910,
  ProfileKeys1764000000920,
  OAuth1764000000930,
  IntakeStore1764000000940,
  SealedHeads1764000000960,
  CheckpointDigests1764000000970,
  CopiedTopics1764000000980,
  MonitorSchedule1764000000990,
  TableVersions1764000001000,
  ParkedEvents1764000001010,
  Reconciliations1764000001020,
  HitTraces1764000001050,
  ReconciledDays1764000001060,
  HeadStatements1764000001100,
  Processes1764000001140,
  MessageTags1764000001150,
  NewestRevocations1764000001160,
  ResumedMonitors1764000001210,
  VerifiedAccounts1764000001220,
  CountedTexts1764000001240,
];

/** What a database of read models needs that has neither logs nor a registry. */
export const READ_STORE_MIGRATIONS: typeof MIGRATIONS = [
  ReadModels1764000000100,
  Dictionary1764000000600,
  CheckpointDigests1764000000970,
  TableVersions1764000001000,
  ParkedEvents1764000001010,
  Reconciliations1764000001020,
  ReconciledDays1764000001060,
  CountedTexts1764000001240,
];
