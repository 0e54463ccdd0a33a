import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { ApiProperty } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { IsInt, Max, Min } from 'class-validator';
import { WEBSITE_SCOPE } from '@ledgerline/contracts/read-models/dictionary';
import { sessions } from '@ledgerline/contracts/read-models/sessions';
import type { Caller } from '@ledgerline/domain/access/caller';
import { addDays, dayOf, startOfDay } from '@ledgerline/domain/time/zones';
import { run } from '@ledgerline/platform/database/pool';
import { instant, sql, textHash } from '@ledgerline/platform/database/sql';
import { ReadStores, notBuilt, onReadStore } from '@ledgerline/platform/read-stores/read-stores';
import { liveTables } from '@ledgerline/platform/table-versions/live-tables';
import { Records } from '../commands/resource.queries';
import type { PlainData } from '../http/record.dto';
import { readsOfType } from '../query/execution/executors';
import { CATALOGUE } from '../query/types/catalogue';
import { MOST_DAYS, Websites } from './websites';

export class PreviewRetentionDto {
  @ApiProperty({ type: 'integer', example: 90, description: 'For which hits would be kept' })
  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(MOST_DAYS)
  days: number;
}

export class RetentionPreviewDto {
  @ApiProperty({
    example: '2026-08-30',
    description: 'The first day that would be kept now, in the zone of the website',
  })
  before: string;

  @ApiProperty({ type: 'integer', description: 'Of earlier days, which would be deleted' })
  sessions: number;

  @ApiProperty({ type: 'integer', description: 'In these sessions' })
  events: number;

  @ApiProperty({ type: String, format: 'date-time', nullable: true, description: 'Of these' })
  firstAt: string | null;

  @ApiProperty({ type: String, nullable: true, description: 'The day before which nothing but counts is left already' })
  deletedBefore: string | null;

  @ApiProperty({
    type: [String],
    description: 'The query types that answer of deleted days as before, of whole days without filters',
  })
  stay: readonly string[];

  @ApiProperty({ type: [String], description: 'The query types that have nothing of deleted days' })
  end: readonly string[];
}

/** Asks what a retention of a website would delete now. */
export class PreviewRetention extends Query<PlainData<RetentionPreviewDto>> {
  constructor(
    readonly wanted: { readonly websiteId: string; readonly days: number; readonly now: number },
    readonly caller: Caller,
  ) {
    super();
  }
}

@QueryHandler(PreviewRetention)
export class PreviewRetentionHandler implements IQueryHandler<PreviewRetention> {
  constructor(
    private readonly records: Records,
    private readonly websites: Websites,
    private readonly stores: ReadStores,
  ) {}

  async execute({ wanted, caller }: PreviewRetention): Promise<PlainData<RetentionPreviewDto>> {
    const { websiteId, days, now } = wanted;
    const { timezone } = await this.records.find(this.websites, websiteId, caller, 'retention:change');
    const before = addDays(dayOf(now, timezone), -days);
    const { pool } = (await this.stores.locate(websiteId)).store;
    return onReadStore(async () => {
      const tables = await liveTables(pool, 'websites');
      if (!tables) throw notBuilt();
      const [row] = await run<Counted>(
        pool,
        sql`select count(*)::float8 as sessions, coalesce(sum(cardinality(hit_id)), 0)::float8 as events,
            min(first_at) as "firstAt",
            (select before::text from expirations where website_id = ${websiteId}) as "deletedBefore"
          from ${tables.table(sessions)}
          where website = (
              select id from dictionary where scope = ${WEBSITE_SCOPE} and hash = ${textHash(websiteId)}::uuid
            ) and first_at < ${instant(startOfDay(before, timezone))}`,
      );
      const { firstAt, ...counted } = row ?? NOTHING;
      return { before, ...counted, firstAt: firstAt?.toISOString() ?? null, ...TYPES };
    });
  }
}

interface Counted {
  readonly sessions: number;
  readonly events: number;
  readonly firstAt: Date | null;
  readonly deletedBefore: string | null;
}

const NOTHING: Counted = { sessions: 0, events: 0, firstAt: null, deletedBefore: null };

/** The types that are read from rollups, and those that need sessions. */
const TYPES = {
  stay: namesOf((isOfRollups) => isOfRollups),
  end: namesOf((isOfRollups) => !isOfRollups),
};

function namesOf(isWanted: (isOfRollups: boolean) => boolean): readonly string[] {
  const ofRanges = CATALOGUE.filter(
    ({ about, range, sources }) => about === 'website' && range !== 'today' && range !== 'minutes' && !sources.own,
  );
  return ofRanges
    .filter(({ counting }) => isWanted(counting !== undefined && readsOfType(counting)?.rollups !== undefined))
    .map(({ name }) => name);
}
