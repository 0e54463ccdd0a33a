import type { MigrationInterface } from 'typeorm';
import { ReadModels1764000000100 } from './1764000000100-read-models';

/** In order; a migration that was released is never changed. */
export const MIGRATIONS: readonly (new () => MigrationInterface)[] = [ReadModels1764000000100];
