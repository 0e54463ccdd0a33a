import { Inject, Injectable } from '@nestjs/common';
import { run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import type { Pool } from 'pg';
import { POOL } from '../tokens';

/** What an account shows of its person. */
export interface Person {
  readonly id: string;
  readonly name: string;
  readonly email: string;
}

/** Names and addresses of people, read from the tables of the account library; events hold only their ids. */
@Injectable()
export class People {
  constructor(@Inject(POOL) private readonly pool: Pool) {}

  /** By user id; who has no account any more is absent. */
  async find(userIds: readonly string[]): Promise<ReadonlyMap<string, Person>> {
    const people = await run<Person>(
      this.pool,
      sql`select id, name, email from auth."user" where id = any(${userIds})`,
    );
    return new Map(people.map((person) => [person.id, person]));
  }

  /** Deletes an account with its sessions, password, codes and tokens: by one statement, which the library does not do. */
  async remove(userId: string): Promise<void> {
    await run(
      this.pool,
      sql`
        with links as (delete from auth.verification where strpos(value, ${userId}) > 0)
        delete from auth."user" where id = ${userId}`,
    );
  }
}
