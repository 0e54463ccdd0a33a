import { SqlMigration } from './sql-migration';

/** Stores how far an EventStoreDB is sealed, also where what was passed needed no seal. */
export class SealingProgress1764000001298 extends SqlMigration {
  protected readonly statements = `
    create table sealing_progress (
      only_row boolean primary key default true check (only_row),
      -- the process that writes it, until it was not seen for a while
      sealer text not null,
      -- cursor: all events up to here are sealed, or need no seal
      passed text not null,
      seen_at timestamptz not null default clock_timestamp()
    );
  `;
}
