import type { IncomingHttpHeaders } from 'node:http';
import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { Pool } from 'pg';
import { type AccessToken, type GrantCaller, grantCaller } from '@ledgerline/domain/access/caller';
import { Registry } from '@ledgerline/domain/registry/registry';
import { credentialOf } from '@ledgerline/platform/api-keys/secret-store';
import type { Settings } from '@ledgerline/platform/config/settings';
import { run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import { RegistryLease } from '@ledgerline/platform/registry/registry-lease';
import { POOL, SETTINGS } from '../../tokens';
import { mcpResource } from '../accounts/oauth-plugins';
import { ACCESS_TOKEN_PREFIX, hashToken } from '../accounts/token-hash';

interface Row extends Record<string, unknown> {
  readonly grant_id: string;
  readonly scopes: readonly string[];
  readonly expires_at: Date;
  readonly id: string;
  readonly name: string;
  readonly email: string;
}

/** Returns what is sent as an access token, valid or not; undefined for any other credential and without one. */
export function accessTokenIn(headers: IncomingHttpHeaders): string | undefined {
  const secret = credentialOf(headers);
  return secret?.startsWith(ACCESS_TOKEN_PREFIX) ? secret : undefined;
}

/** Clients by their access tokens, which are found by hash. Whether a grant is still valid is decided by its events. */
@Injectable()
export class AccessTokens {
  /**
   * By hash, so that no token stays in memory. What a hash means never changes. Limited by size, as `max` would allocate
   * its places at the start.
   */
  private readonly known = new LRUCache<string, AccessToken>({ maxSize: 50_000, sizeCalculation: () => 1 });

  constructor(
    @Inject(POOL) private readonly pool: Pool,
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly registry: Registry,
    private readonly lease: RegistryLease,
  ) {}

  /** Undefined for a token that is unknown, expired or of a grant that has ended. @throws LogUnavailable */
  async callerOf(token: string): Promise<GrantCaller | undefined> {
    const found = await this.find(token);
    if (!found) return undefined;
    const grant = () => this.registry.find('oauthGrants', found.grantId);
    const member = () => this.registry.member(grant()?.organizationId ?? '', found.person.id);
    return this.lease.whileHeld(
      () => grantCaller(found, grant(), member(), new Date()),
      () => grant() === undefined, // it may be new
    );
  }

  private async find(token: string): Promise<AccessToken | undefined> {
    if (!ACCESS_TOKEN.test(token)) return undefined;
    const hash = hashToken(token.slice(ACCESS_TOKEN_PREFIX.length), 'access_token', this.settings.keyPepper);
    const found = this.known.get(hash) ?? (await this.load(hash));
    if (found) this.known.set(hash, found);
    return found;
  }

  private async load(hash: string): Promise<AccessToken | undefined> {
    const resource = JSON.stringify([mcpResource(this.settings)]);
    const [row] = await run<Row>(
      this.pool,
      sql`select t."referenceId" as grant_id, t.scopes, t."expiresAt" as expires_at, u.id, u.name, u.email
        from auth."oauthAccessToken" t join auth."user" u on u.id = t."userId"
        where t.token = ${hash} and t.resources @> ${resource}::jsonb and t."referenceId" is not null`,
    );
    if (!row) return undefined;
    const { grant_id: grantId, expires_at: expiresAt, scopes, id, name, email } = row;
    return { grantId, scopes, expiresAt, person: { id, name, email } };
  }
}

const ACCESS_TOKEN = /^oat_[A-Za-z]{32}$/;
