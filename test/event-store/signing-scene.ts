import type { KeyObject } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Pool } from 'pg';
import { HeadSigner } from '@ledgerline/platform/event-store/head-signer';
import { readStatements, signStatement, statementHash } from '@ledgerline/platform/event-store/head-statement';
import { PostgresEventStore } from '@ledgerline/platform/event-store/postgres-event-store';
import { statementFile } from '@ledgerline/platform/event-store/statement-memory';
import { readSealingFaults } from '@ledgerline/platform/event-store/verify-chain';
import { createTestDatabase, type TestDatabase } from '../postgres/test-database';
import { appended, event, freshStream, sealing } from './laws/harness';
import { openSigning } from './sign-heads';

type Forged = Omit<Parameters<typeof signStatement>[1], 'number' | 'previous'>;

/** An event store on Postgres, and one process that signs its heads, round by round. */
export class SigningScene {
  readonly logged: string[] = [];
  readonly store: PostgresEventStore;
  readonly signer: HeadSigner;
  readonly folder = mkdtempSync(join(tmpdir(), 'ledgerline-signing-'));
  private opened: Awaited<ReturnType<typeof openSigning>> | undefined;

  private constructor(
    readonly database: TestDatabase,
    readonly pool: Pool,
  ) {
    this.store = new PostgresEventStore(database.url, sealing.key);
    this.signer = new HeadSigner(this.store, pool, sealing.key);
  }

  static async open(): Promise<SigningScene> {
    const database = await createTestDatabase();
    const scene = new SigningScene(database, new Pool({ connectionString: database.url }));
    await scene.reopen();
    return scene;
  }

  /** The file with what the process remembers. */
  get file(): string {
    return statementFile(this.folder);
  }

  /** One round. */
  async sign(): Promise<void> {
    await this.opened?.signing.sign();
  }

  /** The process is started again, with what is in its file. */
  async reopen(key: KeyObject = sealing.key): Promise<void> {
    await this.opened?.close();
    const onLog = (message: string) => this.logged.push(message);
    this.opened = await openSigning(this.database.url, { key, dataDir: this.folder, onLog });
  }

  async decided(...organizations: string[]): Promise<void> {
    for (const organization of organizations)
      await appended(this.store, freshStream(organization), 'no-stream', [event({ name: 'Shop' })]);
  }

  /** Returns the statements after statement 0. */
  statements() {
    return readStatements(this.pool, 1, 1_000);
  }

  /** As `organization revision`, of each statement. */
  async heads(): Promise<string[][]> {
    const name = ({ organization, revision }: { organization: string; revision: number }) =>
      `${organization} ${revision}`;
    return (await this.statements()).map(({ heads }) => heads.map(name).toSorted());
  }

  /** Reasons by organization. */
  async faults(): Promise<Record<string, string>> {
    const rows = await readSealingFaults(this.pool);
    return Object.fromEntries(rows.map(({ organization, reason }) => [organization, reason]));
  }

  /** Stores a statement that follows the newest one. */
  async forge(key: KeyObject, forged: Forged): Promise<void> {
    const last = (await this.statements()).at(-1)!;
    const draft = { ...forged, number: last.number + 1, previous: statementHash(last) };
    const { number, previous, heads, restart, signedAt, keyId, signature } = signStatement(key, draft, new Date());
    await this.pool.query(
      `insert into head_statements (number, previous, heads, restart, signed_at, key_id, signature)
       values ($1, $2, $3, $4, $5, $6, $7)`,
      [number, previous, JSON.stringify(heads), restart, signedAt, keyId, signature],
    );
  }

  async close(): Promise<void> {
    await this.opened?.close();
    await this.store.close();
    await this.pool.end();
    await this.database.drop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
