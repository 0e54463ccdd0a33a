import { SqlMigration } from './sql-migration';

/** Stores what read models leave out of erased visitors, as the event store has it. */
export class ErasureRules1795997035372 extends SqlMigration {
  protected readonly statements = `
    create table erasure_rules (
      erasure_id text not null,
      organization_id text not null,
      website_id text not null,
      kind text not null,
      -- the website, or of a click the link
      subject text not null,
      id text not null,
      until timestamptz not null,
      -- of the log whose events of before the rule are out of the tables; null = they may be in them
      repaired_epoch text,
      primary key (erasure_id, kind, subject, id)
    );
    create index erasure_rules_due on erasure_rules (kind) where repaired_epoch is null;
    -- what batches have found of erased visitors, until the event store has it
    create table erasure_findings (
      erasure_id text not null,
      organization_id text not null,
      website_id text not null,
      kind text not null,
      subject text not null,
      id text not null,
      until timestamptz not null,
      primary key (erasure_id, kind, subject, id)
    );
  `;
}
