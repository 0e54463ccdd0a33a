/** A migration that a baseline replaces: its statements, for a database in which only some of them ran. */
export interface ReplacedMigration {
  readonly name: string;
  /** True if it ran in read stores, too. */
  readonly isOfReadStores?: true;
  readonly statements: string;
}
