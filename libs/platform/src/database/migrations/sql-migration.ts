import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A migration that is a list of SQL statements. */
export abstract class SqlMigration implements MigrationInterface {
  protected abstract readonly statements: string;

  up(runner: QueryRunner): Promise<unknown> {
    return runner.query(this.statements);
  }

  down(): Promise<never> {
    return Promise.reject(new Error('Migrations are not reverted; restore a backup of the database.'));
  }
}
