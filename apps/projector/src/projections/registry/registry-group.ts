import type { Recorded } from '@ledgerline/contracts/events/decided-events';
import type { LinkDetails } from '@ledgerline/contracts/events/link.events';
import { linkCounts, REGISTRY } from '@ledgerline/contracts/read-models/registry';
import { linkWords } from '@ledgerline/domain/links/link-words';
import { changeOf, typesOf, type RecordKind } from '@ledgerline/domain/registry/record-changes';
import { decidedIn } from '@ledgerline/platform/event-store/decided';
import type { RecordedEvent } from '@ledgerline/platform/event-store/event-store';
import type { Row } from '@ledgerline/platform/database/read-model-rows';
import { rowOf, TABLES } from '@ledgerline/platform/registry/record-rows';
import type { ProjectionGroup } from '../projection-group';
import { RowChanges, type RowChange } from './row-changes';
import type { RowCount } from './row-count';

const KINDS = Object.keys(TABLES) as readonly RecordKind[];
const LINK_COUNT: RowCount = { in: linkCounts, of: 'links', by: 'organization_id' };

export const registryGroup = (): ProjectionGroup<RecordedEvent> => ({
  ...REGISTRY,
  types: typesOf(KINDS),
  cursorOf: ({ cursor }) => cursor,
  loggedAt: ({ recordedAt }) => recordedAt.getTime(),
  describe: ({ id, type, stream, recordedAt }) => {
    return { id, type, subject: stream, orderKey: stream, at: recordedAt.getTime() };
  },
  prepare: (recorded) => {
    const events = decidedIn(recorded);
    const changes = KINDS.map((kind) => {
      const rows = new RowChanges(TABLES[kind], kind === 'links' ? LINK_COUNT : undefined);
      for (const change of events.flatMap((event) => rowChangeOf(kind, event) ?? [])) rows.add(change);
      return rows;
    });
    return Promise.resolve((_, tables) =>
      Promise.resolve({ statements: changes.flatMap((rows) => rows.statements(tables)) }),
    );
  },
  invalidateCaches: () => undefined,
});

/** What an event does to the table of a kind of record. */
export function rowChangeOf(kind: RecordKind, event: Recorded): RowChange | undefined {
  const change = changeOf(kind, event);
  if (!change) return undefined;
  if ('write' in change) return { write: columnsOf(kind, change.write) };
  return 'set' in change ? { set: columnsOf(kind, change.set) } : { remove: columnsOf(kind, change.remove) };
}

function columnsOf(kind: RecordKind, fields: object): Row {
  const columns = rowOf(TABLES[kind], fields);
  if (kind !== 'links' || !('details' in fields)) return columns;
  return { ...columns, words: linkWords(fields.details as LinkDetails) }; // by its kind
}
