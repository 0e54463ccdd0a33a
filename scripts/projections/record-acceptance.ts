import { organizations } from '@ledgerline/contracts/read-models/registry';
import type { RebuildAccepted } from '@ledgerline/contracts/events/audit-log.events';
import type { EventStore } from '@ledgerline/platform/event-store/event-store';
import { acceptanceStream } from '@ledgerline/platform/event-store/streams';
import { run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import { liveTables } from '@ledgerline/platform/table-versions/live-tables';
import type { Pool } from 'pg';
import { newId } from '../../apps/api/src/commands/idempotency-store';
import type { Difference } from '../../apps/projector/src/rebuild/difference';
import { recordBySystem } from '../audit/record-by-system';

/** Records in the audit log of every organization that figures are replaced by a rebuild that differs from them. */
export async function recordAcceptance(
  store: Pick<EventStore, 'append' | 'readBack'>,
  main: Pool,
  group: string,
  differences: readonly Difference[],
): Promise<void> {
  const registry = await liveTables(main, 'registry');
  if (!registry) return; // no projector has run: there is no organization with figures
  const known = await run<{ id: string }>(
    main,
    sql`select id from ${registry.table(organizations)} where deleted_at is null order by id`,
  );
  const tables = differences.map(({ table, onlyBefore, onlyAfter }) => ({ table, onlyBefore, onlyAfter }));
  for (const { id: organizationId } of known) {
    const [entry] = await store.readBack({ organization: organizationId, limit: 1 });
    if (!entry) continue; // an older copy of the event store was restored, which has nothing of it
    const acceptanceId = newId('rebuild');
    const data = { organizationId, acceptanceId, group, tables } satisfies RebuildAccepted['data'];
    const stream = acceptanceStream(organizationId, acceptanceId);
    await recordBySystem(store, stream, 'AcceptRebuild', { type: 'RebuildAccepted', data });
  }
}
