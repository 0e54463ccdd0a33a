import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import type { Settings } from '@ledgerline/platform/config/settings';
import { noteErased } from '@ledgerline/platform/database/file-rewrites';
import { run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import { POOL } from '../../tokens';
import { verifiesAddresses } from './account-library';

/** A person as an account shows them. */
export interface Person {
  readonly id: string;
  readonly name: string;
  readonly email: string;
}

const UNVERIFIED_KEPT_MS = 7 * 24 * 60 * 60_000;

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

  /** Returns which of the addresses, in lower case, have an account. */
  async withAddresses(emails: readonly string[]): Promise<ReadonlySet<string>> {
    const rows = await run<Pick<Person, 'email'>>(
      this.pool,
      sql`select email from auth."user" where email = any(${emails})`,
    );
    return new Set(rows.map(({ email }) => email));
  }

  /** Returns whether there is no account at all. */
  async isEmpty(): Promise<boolean> {
    return (await run(this.pool, sql`select 1 from auth."user" limit 1`)).length === 0;
  }

  /** Deletes accounts whose address was not confirmed within a week, and returns their number. */
  async sweep(now: Date): Promise<number> {
    const before = new Date(now.getTime() - UNVERIFIED_KEPT_MS);
    const unverified = sql`delete from auth."user" where "mustVerify" and not "emailVerified" and "createdAt" < ${before} returning id`;
    return (await run(this.pool, unverified)).length;
  }

  /** Deletes an account with its sessions, password, codes and tokens: by one statement, which the library does not do. */
  async remove(userId: string): Promise<void> {
    await run(
      this.pool,
      sql`
        with links as (delete from auth.verification where strpos(value, ${userId}) > 0), noted as (${noteErased})
        delete from auth."user" where id = ${userId}`,
    );
  }
}

/** The parts of an account that decide whether its person runs the installation. */
interface Account {
  readonly email: string;
  readonly emailVerified: boolean;
  readonly isDemoOwner?: boolean | null | undefined;
}

/**
 * With a mail server an address has to be verified, as anybody may sign up with it. The demo's owner is an operator while
 * OPERATOR_EMAILS is empty.
 */
export function isOperator(account: Account, settings: Pick<Settings, 'operatorEmails' | 'mail'>): boolean {
  const { operatorEmails } = settings;
  if (operatorEmails.length === 0) return account.isDemoOwner === true;
  return (
    operatorEmails.includes(account.email.toLowerCase()) && (!verifiesAddresses(settings) || account.emailVerified)
  );
}
