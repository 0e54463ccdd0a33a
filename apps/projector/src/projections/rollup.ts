import type { ReadModel } from '@ledgerline/contracts/read-models/read-model';
import type { Unit } from '@ledgerline/domain/sessions/stay';
import type { Row } from '@ledgerline/platform/database/read-model-rows';

/** A visitor's sessions, and the words rollups need beyond those of the hits. */
export interface WebsiteUnit extends Unit {
  /** The word id of the host of an href. */
  readonly domainOf: (href: number) => number;
}

/** A read model that is a pure function of the sessions of each unit; rows of several units are added up. */
export interface Rollup {
  readonly builds: ReadModel;
  readonly rowsOf: (unit: WebsiteUnit, add: (row: Row) => void) => void;
}

export const rollup = <Model extends ReadModel>(
  builds: Model,
  rowsOf: (unit: WebsiteUnit, add: (row: Row<Model>) => void) => void,
): Rollup => ({ builds, rowsOf });
