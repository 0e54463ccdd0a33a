import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Names the table of texts and their ids for what it is, and drops a time that nothing reads. */
export class Dictionary1764000000600 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table words rename to dictionary;
      alter table dictionary rename column word to text;
      alter table projection_groups drop column flipped_at;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table dictionary rename column text to word;
      alter table dictionary rename to words;
      alter table projection_groups add column flipped_at timestamptz not null default clock_timestamp();
    `);
  }
}
