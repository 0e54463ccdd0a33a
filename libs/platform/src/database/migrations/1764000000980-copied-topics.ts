import { SqlMigration } from './sql-migration';

/** How far the messages of a Kafka topic are in the intake log. */
export class CopiedTopics1764000000980 extends SqlMigration {
  protected readonly statements = `
    -- the topic that hits are sent to; null = they are sent to the segments
    alter table intake_log add column topic text;
    create table intake_topic_offsets (
      topic text not null,
      partition integer not null,
      -- of the first message that is not copied; moves in the transaction that stores what is before it
      next_offset bigint not null default 0,
      -- sha256 of the message before it
      digest bytea,
      -- by sender: the number of its newest message that is copied, and when that came, epoch ms
      senders jsonb not null default '{}',
      -- everything that came before this time is copied
      caught_up_at timestamptz not null default clock_timestamp(),
      -- of the first message that is not in the topic yet, when that was asked last
      end_offset bigint not null default 0,
      -- messages that the topic dropped before they were copied, and when that was noticed last
      lost bigint not null default 0,
      lost_at timestamptz,
      -- since when, and why nothing is copied
      stopped_at timestamptz,
      stopped text,
      primary key (topic, partition)
    ) with (fillfactor = 20);
    -- messages that are no hits
    create table intake_refused_messages (
      topic text not null,
      partition integer not null,
      reason text not null,
      messages bigint not null,
      first_offset bigint not null,
      last_offset bigint not null,
      last_at timestamptz not null default clock_timestamp(),
      primary key (topic, partition, reason)
    );
  `;
}
