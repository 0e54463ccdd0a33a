import { createHash } from 'node:crypto';
import { sessions } from '@ledgerline/contracts/read-models/sessions';
import { addDays, dayNumber, dayOf, startOfDay } from '@ledgerline/domain/time/zones';
import { run } from '@ledgerline/platform/database/pool';
import { identifier, instant, sql } from '@ledgerline/platform/database/sql';
import { decidedIn, erasureStream, occurredAt } from '@ledgerline/platform/event-store/event-store';
import { partitionOf } from '@ledgerline/platform/intake-log/intake-log';
import { BEGINNING, type ReaderPosition } from '@ledgerline/platform/log/log-reader';
import { serves } from '@ledgerline/platform/read-stores/read-stores';
import { findWebsite } from '../projections/websites/dictionary';
import type { BoundGroup } from '../runner/bound-group';
import { loadRules } from '../runner/erasure-rules';
import { resolveTables } from '../versions/program-tables';
import { type ErasureStore, erasureEvent } from './decided-erasures';

/** The time for which a website keeps hits. */
interface Kept {
  readonly organizationId: string;
  readonly zone: string;
  /** Null = for ever. */
  readonly days: number | null;
  /** Epoch ms. */
  readonly setAt: number;
}

const TYPES = ['WebsiteRegistered', 'WebsiteUpdated', 'WebsiteDeleted'] as const;
/** A shorter time is in force after that, so that a mistake can be taken back. */
const GRACE_MS = 86_400_000;
/** Each time a website is projected anew, so days expire several at once. */
const DAYS_AT_ONCE = 7;

/** Decides which days of websites are expired, as their owners have set it. */
export class ExpirationDecisions {
  private readonly websites = new Map<string, Kept>();
  private position: ReaderPosition = { cursor: BEGINNING };

  constructor(private readonly store: ErasureStore) {}

  /** Records what is due of the websites whose tables a group has; may be done twice. @param now epoch ms */
  async decide(group: BoundGroup, now: number): Promise<void> {
    await this.readOn();
    const partitions = await group.log.partitions();
    for (const [websiteId, kept] of this.websites) {
      const isOwn = serves(group.share, partitionOf(websiteId, partitions));
      if (!isOwn || kept.days === null || now < kept.setAt + GRACE_MS) continue;
      await this.expire(group, { websiteId, ...kept }, addDays(dayOf(now, kept.zone), -kept.days));
    }
  }

  private async expire(
    group: BoundGroup,
    { websiteId, organizationId, zone }: Kept & { readonly websiteId: string },
    before: string,
  ): Promise<void> {
    const last = (await loadRules(group.pool, group.name)).expiredOf(websiteId);
    if (last && dayNumber(before) < dayNumber(last.id) + DAYS_AT_ONCE) return;
    const at = startOfDay(before, zone);
    if (!(await hasSessionsBefore(group, websiteId, at))) return;
    const erasureId = `era_${hashOf(`${websiteId} ${before}`)}`;
    const data = { organizationId, erasureId, websiteId, before, until: new Date(at).toISOString() };
    const event = erasureEvent('ExpireHits', { type: 'HitsExpired', data });
    await this.store.append(erasureStream(organizationId, erasureId), 'no-stream', [event]); // a conflict: another projector did
  }

  private async readOn(): Promise<void> {
    for (let atHead = false; !atHead;) {
      const { cursor, digest } = this.position;
      const read = await this.store.read(0, cursor, { max: 1_000, types: TYPES, digest });
      for (const event of decidedIn(read.events)) {
        if (event.type === 'WebsiteDeleted') this.websites.delete(event.data.websiteId);
        if (event.type !== 'WebsiteRegistered' && event.type !== 'WebsiteUpdated') continue;
        const { websiteId, organizationId, timezone: zone, retentionDays: days } = event.data;
        const known = this.websites.get(websiteId);
        const setAt = known?.days === days ? known.setAt : Date.parse(occurredAt(event));
        this.websites.set(websiteId, { organizationId, zone, days, setAt });
      }
      this.position = { cursor: read.next, digest: read.digest };
      ({ atHead } = read);
    }
  }
}

async function hasSessionsBefore({ pool, ...group }: BoundGroup, websiteId: string, at: number): Promise<boolean> {
  const { tables } = await resolveTables(pool, group, 'live');
  const website = await findWebsite(pool, websiteId);
  const table = identifier(tables.state, sessions.name);
  const earlier = sql`select from ${table} where website = ${website ?? -1} and first_at < ${instant(at)} limit 1`;
  return (await run(pool, earlier)).length > 0;
}

/** As long as an id, in its letters. */
const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 26).toUpperCase();
