import type { MigrationInterface } from 'typeorm';
import { EventDigests1764000001250 } from './1764000001250-event-digests';
import { Favicons1764000001270 } from './1764000001270-favicons';
import { Baseline1764000001241, ReadModelBaseline1764000001240 } from './baseline/baseline';

/** In order; a migration that was released is never changed. */
export const MIGRATIONS: readonly (new () => MigrationInterface)[] = [
  ReadModelBaseline1764000001240,
  Baseline1764000001241,
  EventDigests1764000001250,
  Favicons1764000001270,
];

/** What a database of read models needs that has neither logs nor a registry. */
export const READ_STORE_MIGRATIONS: typeof MIGRATIONS = [ReadModelBaseline1764000001240, EventDigests1764000001250];
