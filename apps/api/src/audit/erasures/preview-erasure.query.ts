import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import type { ErasedProfile, ErasedVisitor } from '@ledgerline/contracts/events/audit-log.events';
import { WEBSITE_SCOPE } from '@ledgerline/contracts/read-models/dictionary';
import { visitorProfiles } from '@ledgerline/contracts/read-models/profiles';
import { sessions } from '@ledgerline/contracts/read-models/sessions';
import { linkVisits } from '@ledgerline/contracts/read-models/website-facts';
import type { Caller } from '@ledgerline/domain/access/caller';
import { run } from '@ledgerline/platform/database/pool';
import { type Sql, sql, textHash } from '@ledgerline/platform/database/sql';
import { ReadStores, notBuilt, onReadStore } from '@ledgerline/platform/read-stores/read-stores';
import { type LiveTables, liveTables } from '@ledgerline/platform/table-versions/live-tables';
import type { PlainData } from '../../http/record.dto';
import { assertMay } from '../../http/route';
import type { ErasurePreviewDto, WantedVisitor } from './erasure.dto';
import { VisitorErasure } from './visitor-erasure';

/** Asks what an erasure of a visitor would take out now. */
export class PreviewErasure extends Query<PlainData<ErasurePreviewDto>> {
  constructor(
    readonly wanted: { readonly organizationId: string; readonly subject: WantedVisitor },
    readonly caller: Caller,
  ) {
    super();
  }
}

@QueryHandler(PreviewErasure)
export class PreviewErasureHandler implements IQueryHandler<PreviewErasure> {
  constructor(
    private readonly visitors: VisitorErasure,
    private readonly stores: ReadStores,
  ) {}

  async execute({ wanted, caller }: PreviewErasure): Promise<PlainData<ErasurePreviewDto>> {
    const { organizationId, subject } = wanted;
    assertMay(caller, 'erasures:request', { organizationId });
    const found = await this.visitors.find(organizationId, subject);
    const { pool } = (await this.stores.locate(found.websiteId)).store;
    return onReadStore(async () => {
      const tables = await liveTables(pool, 'websites');
      if (!tables) throw notBuilt();
      const [row] = await run<Counted>(pool, countedSql(tables, found));
      const { firstAt, lastAt, ...counts } = row ?? NOTHING;
      return { ...counts, firstAt: firstAt?.toISOString() ?? null, lastAt: lastAt?.toISOString() ?? null };
    });
  }
}

interface Counted {
  readonly visitors: number;
  readonly sessions: number;
  readonly events: number;
  readonly clicks: number;
  readonly firstAt: Date | null;
  readonly lastAt: Date | null;
}

const NOTHING: Counted = { visitors: 0, sessions: 0, events: 0, clicks: 0, firstAt: null, lastAt: null };

function countedSql(tables: LiveTables, subject: ErasedProfile | ErasedVisitor): Sql {
  const website = sql`(select id from dictionary where scope = ${WEBSITE_SCOPE} and hash = ${textHash(subject.websiteId)}::uuid)`;
  const visitors =
    'profile' in subject
      ? sql`array(select visitor from ${tables.table(visitorProfiles)} where website = ${website} and subject = ${subject.profile}::uuid)`
      : sql`${subject.visitors}::uuid[]`;
  return sql`
with wanted as (select ${website} as website, ${visitors} as visitors)
select count(distinct s.visitor)::integer as visitors, count(*)::integer as sessions,
  coalesce(sum(cardinality(s.hit_id)), 0)::float8 as events, min(s.first_at) as "firstAt", max(s.last_at) as "lastAt", (
    select count(distinct v.click)::integer from ${tables.table(linkVisits)} v, wanted
    where v.website = wanted.website and v.visitor = any(wanted.visitors)
  ) as clicks
from ${tables.table(sessions)} s, wanted where s.website = wanted.website and s.actor = any(wanted.visitors)`;
}
