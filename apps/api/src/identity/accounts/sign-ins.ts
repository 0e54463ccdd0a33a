import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import { run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import { POOL } from '../../tokens';

/** The sessions of people, with their browsers, and the links and codes that were made for them. */
@Injectable()
export class SignIns {
  constructor(@Inject(POOL) private readonly pool: Pool) {}

  /** Deletes those that are over, which the library only does when they are used, and returns their number. */
  async sweep(now: Date): Promise<number> {
    const sessions = await run(this.pool, sql`delete from auth.session where "expiresAt" < ${now} returning id`);
    const links = await run(this.pool, sql`delete from auth.verification where "expiresAt" < ${now} returning id`);
    return sessions.length + links.length;
  }
}
