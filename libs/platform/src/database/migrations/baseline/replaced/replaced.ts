import type { ReplacedMigration } from './replaced-migration';
import { FIRST } from './first';
import { SECOND } from './second';
import { THIRD } from './third';
import { FOURTH } from './fourth';

/** In order. */
export const REPLACED: readonly ReplacedMigration[] = [...FIRST, ...SECOND, ...THIRD, ...FOURTH];
