import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import type { Settings } from '@ledgerline/platform/config/settings';
import { run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import { POOL, SETTINGS } from '../../tokens';
import { ACCESS_TOKEN_PREFIX, hashToken, REFRESH_TOKEN_PREFIX } from '../accounts/token-hash';

/** The grant that a code or token belongs to. */
export interface Issued {
  readonly grantId: string;
  readonly clientId: string;
  /** True of a refresh token that was used before. */
  readonly isUsed: boolean;
}

/** Codes and tokens as the account library stores them, as hashes, and its clients. */
@Injectable()
export class StoredTokens {
  constructor(
    @Inject(POOL) private readonly pool: Pool,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  async refreshToken(token: string): Promise<Issued | undefined> {
    const hash = this.hash(token, 'refresh_token', REFRESH_TOKEN_PREFIX);
    const [row] = await run<Issued>(
      this.pool,
      sql`select "referenceId" as "grantId", "clientId", revoked is not null as "isUsed"
        from auth."oauthRefreshToken" where token = ${hash}`,
    );
    return row;
  }

  async accessToken(token: string): Promise<Issued | undefined> {
    const hash = this.hash(token, 'access_token', ACCESS_TOKEN_PREFIX);
    const [row] = await run<Issued>(
      this.pool,
      sql`select "referenceId" as "grantId", "clientId", false as "isUsed"
        from auth."oauthAccessToken" where token = ${hash}`,
    );
    return row;
  }

  /** Finds the grant of a code that was exchanged before. */
  async usedCode(code: string): Promise<Issued | undefined> {
    const hash = this.hash(code, 'authorization_code', '');
    const [row] = await run<Issued>(
      this.pool,
      sql`select "referenceId" as "grantId", "clientId", true as "isUsed"
        from auth."oauthAccessToken" where "authorizationCodeId" = ${hash} limit 1`,
    );
    return row;
  }

  /**
   * Returns whether a client, known from its document, proves itself with nothing but PKCE: the metadata names no other
   * way.
   */
  async isPublicClient(clientId: string): Promise<boolean> {
    const [row] = await run<{ method: string | null }>(
      this.pool,
      sql`select "tokenEndpointAuthMethod" as method from auth."oauthClient" where "clientId" = ${clientId}`,
    );
    return (row?.method ?? 'none') === 'none';
  }

  async deleteOf(grantId: string): Promise<void> {
    await run(this.pool, sql`delete from auth."oauthAccessToken" where "referenceId" = ${grantId}`);
    await run(this.pool, sql`delete from auth."oauthRefreshToken" where "referenceId" = ${grantId}`);
    await run(this.pool, sql`delete from auth."oauthConsent" where "referenceId" = ${grantId}`);
  }

  /** Deletes what has expired, and clients of which nothing is stored any more. */
  async sweep(): Promise<void> {
    await run(this.pool, sql`delete from auth."oauthAccessToken" where "expiresAt" < now() - interval '1 day'`);
    await run(this.pool, sql`delete from auth."oauthRefreshToken" where "expiresAt" < now()`);
    await run(
      this.pool,
      sql`delete from auth."oauthClient" c where "updatedAt" < now() - interval '1 day'
        and not exists (select from auth."oauthRefreshToken" t where t."clientId" = c."clientId")
        and not exists (select from auth."oauthAccessToken" t where t."clientId" = c."clientId")`,
    );
  }

  private hash(token: string, type: string, prefix: string): string {
    const bare = token.startsWith(prefix) ? token.slice(prefix.length) : '';
    return hashToken(bare, type, this.settings.keyPepper);
  }
}
