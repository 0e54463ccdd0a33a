import { FIRST } from './first';
import { FOURTH } from './fourth';
import type { ReplacedMigration } from './replaced-migration';
import { SECOND } from './second';
import { THIRD } from './third';

/** In order. */
export const REPLACED: readonly ReplacedMigration[] = [...FIRST, ...SECOND, ...THIRD, ...FOURTH];
