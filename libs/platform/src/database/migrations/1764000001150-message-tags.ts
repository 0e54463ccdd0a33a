import { SqlMigration } from './sql-migration';

/** Whether a topic may hold messages of trackers that wrote no tags: one that was copied before there were any. */
export class MessageTags1764000001150 extends SqlMigration {
  protected readonly statements = `
    alter table intake_topic_offsets add column requires_tags boolean not null default true;
    update intake_topic_offsets set requires_tags = false;
  `;
}
