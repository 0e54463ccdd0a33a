import { createHash } from 'node:crypto';
import { SESSION_FIELDS, type sessionDays } from '@ledgerline/contracts/read-models/session-days';
import type { SessionChunk } from '@ledgerline/contracts/read-models/session-chunk';
import { encodeSessions, type PackedColumn } from '@ledgerline/domain/session-days/session-day';
import type { Row } from '@ledgerline/platform/database/read-model-rows';
import { gatherSessions, type SessionGroups } from './session-groups';

/** The rows of `session_days` for the sessions of a website's day; `pause` is called after some milliseconds of work. */
export async function* packedRows(
  website: number,
  day: number,
  groups: SessionGroups,
  pause: () => Promise<void>,
): AsyncIterable<Row<typeof sessionDays>> {
  for (const group of groups.values()) {
    const chunk = await gatherSessions(group, SESSION_FIELDS, pause);
    const columns = new Map<PackedColumn, Uint8Array | null>();
    for (const [name, bytes] of encodeSessions(chunk, day)) {
      columns.set(name, bytes);
      await pause();
    }
    const { country, device_type, size } = group;
    const row = { website, day, country, device_type, size, last_at: endOf(chunk), version: versionOf(columns) };
    yield { ...row, ...Object.fromEntries([...columns].map(inHex)) } as Row<typeof sessionDays>; // each of its columns
  }
}

const inHex = ([name, bytes]: readonly [PackedColumn, Uint8Array | null]) =>
  [name, bytes && Buffer.from(bytes).toString('hex')] as const;

/** No event of a session is later than its end. */
function endOf({ field, size }: SessionChunk): number {
  const [firstAt, durations] = [field('first_at'), field('duration_ms')];
  let end = 0;
  for (let place = 0; place < size; place++) end = Math.max(end, (firstAt[place] ?? 0) + (durations[place] ?? 0));
  return end;
}

/** 48 bits of the SHA-256 of all columns. */
function versionOf(columns: ReadonlyMap<PackedColumn, Uint8Array | null>): number {
  const hash = createHash('sha256');
  for (const [name, bytes] of columns) hash.update(`${name} ${bytes?.length ?? 0} `).update(bytes ?? '');
  return hash.digest().readUIntBE(0, 6);
}
