import { Inject, Injectable, Module } from '@nestjs/common';
import type { Pool } from 'pg';
import { v5 } from 'uuid';
import { includesRole } from '@ledgerline/domain/access/caller';
import { Registry } from '@ledgerline/domain/registry/registry';
import type { Settings } from '@ledgerline/platform/config/settings';
import { run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import { isMailServer } from '@ledgerline/platform/outbound/mail-destination';
import { POOL, SETTINGS } from '../tokens';

/** A mail to the owners and admins of an organization. */
export interface AdminNotice {
  readonly organizationId: string;
  /** What it is about: each of them is written to once about the same. */
  readonly about: string;
  readonly subject: string;
  readonly body: string;
}

/** Ids of notices are derived from what they are about. */
const NAMESPACE = '7c1d3a52-6c35-4bb0-9d0f-0e6a2f8b41d7';

/** Writes mails to owners and admins, which a projector sends. */
@Injectable()
export class AdminNotices {
  constructor(
    private readonly registry: Registry,
    @Inject(POOL) private readonly pool: Pool,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'mail'>,
  ) {}

  /** At most a mail an hour and organization is sent; none is written without a mail server. */
  async notify({ organizationId, about, subject, body }: AdminNotice): Promise<void> {
    if (!isMailServer(this.settings.mail)) return;
    const people = this.registry.membersOf(organizationId).filter(({ role }) => includesRole(role, 'admin'));
    const userIds = people.map(({ userId }) => userId);
    const ids = userIds.map((userId) => v5(`${about} ${userId}`, NAMESPACE));
    await run(
      this.pool,
      sql`insert into delivery_notices (id, organization_id, user_id, subject, body, next_at)
        select n.id, ${organizationId}, n.user_id, ${subject}, ${body}, greatest(now(), (
          select max(created_at) + interval '1 hour' from delivery_notices where organization_id = ${organizationId}))
        from unnest(${ids}::uuid[], ${userIds}::text[]) as n (id, user_id)
        on conflict do nothing`,
    );
  }
}

@Module({ providers: [AdminNotices], exports: [AdminNotices] })
export class AdminNoticesModule {}
