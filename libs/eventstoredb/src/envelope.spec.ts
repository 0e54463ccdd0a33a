import type { RecordedEvent as StoredEvent } from '@eventstore/db-client';
import type { JsonObject } from '@ledgerline/contracts/json';
import { chainHash, GENESIS, checkAppend } from '@ledgerline/platform/event-store/appended-events';
import type { EventMetadata, NewEvent } from '@ledgerline/platform/event-store/event-store';
import { attemptOf, isDecided, storedToRecordedEvent, toStored } from './envelope';

const ID = '7fef99ea-3046-495a-8482-5ee4979925ed';
const AT = new Date('2026-05-06T07:08:09.123Z');

describe('an event in EventStoreDB', () => {
  it('has flat metadata under the names that its projections look for', () => {
    const metadata = { actor: 'usr_1', correlation: 'order-17', causation: 'c-1', schemaVersion: '2' };
    expect(stored({ metadata, sealed: 'AAAA' }).metadata).toEqual({
      actor: 'usr_1',
      $correlationId: 'order-17',
      $causationId: 'c-1',
      schemaVersion: '2',
      $ledgerline: { attempt: 'a-1', sealed: 'AAAA', recordedAt: AT.toISOString() },
    });
  });

  it.each<EventMetadata>([
    {},
    { correlation: 'a', $correlationId: 'b', causation: 'c', $causationId: 'd' },
    { $correlationId: 'only theirs' },
    { metadata: 'x', attempt: 'y', sealed: 'z', recordedAt: 'w' },
  ])('comes back with its metadata as it was: %j', (metadata) => {
    const recordedAt = new Date('2026-01-02T03:04:05.678Z');
    for (const more of [{}, { sealed: 'AAAA' }, { recordedAt }]) {
      const back = read(stored({ metadata, ...more }));
      expect(back).toMatchObject({ id: ID, metadata, data: { n: 1 }, recordedAt: AT, ...more });
      expect(back.sealed).toBe('sealed' in more ? 'AAAA' : undefined);
    }
  });

  it('has the time that the server gave it, where it was stored before events had their own', () => {
    const created = new Date('2026-01-01T00:00:00.000Z');
    const event = { ...storedAs({ actor: 'usr_1', $ledgerline: { attempt: 'a-0' } }), created };
    expect(storedToRecordedEvent(event)).toMatchObject({ metadata: { actor: 'usr_1' }, recordedAt: created });
  });

  it('may not use the name of the envelope', () =>
    expect(() => stored({ metadata: { $ledgerline: 'x' } })).toThrow('$ledgerline is no name for metadata'));

  it('is decided unless the server wrote it, whatever its type', () => {
    const types = ['LinkCreated', '$streamDeleted', '$metadata', '$other', 'not.ours'];
    const decided = types.filter((type) => isDecided({ ...storedAs({}), streamId: 'org_1-link-1', type }));
    expect(decided).toEqual(['LinkCreated', '$other', 'not.ours']);
  });

  it('of the first form stays readable, with a valid hash', () => {
    const bytes =
      '{"metadata":{"actor":"usr_1","correlation":"order-17","schemaVersion":"1"},"attempt":"a-0","sealed":"AAAA",' +
      '"recordedAt":"2026-01-02T03:04:05.678Z"}';
    const event = storedAs(JSON.parse(bytes) as JsonObject);
    const back = storedToRecordedEvent(event);
    const metadata = { actor: 'usr_1', correlation: 'order-17', schemaVersion: '1' };
    expect(back).toMatchObject({ metadata, sealed: 'AAAA', recordedAt: new Date('2026-01-02T03:04:05.678Z') });
    expect(attemptOf(event)).toBe('a-0');
    // computed by the version that wrote such events
    expect(chainHash(back, GENESIS)).toBe('c3ab48a2573aa97832d775449e056f27ff216f21a072e598253998145bfc3419');
  });

  it.each([
    undefined,
    {},
    { hash: 'x' },
    { $correlationId: 'x' },
    { $ledgerline: 'x' },
    { $ledgerline: null },
    { metadata: null },
    { metadata: 7 },
    { recordedAt: 'no time' },
  ])('of another client has no metadata: %j', (metadata) => {
    const event = storedAs(metadata);
    expect(storedToRecordedEvent(event)).toMatchObject({ metadata: {}, recordedAt: new Date(0) });
    expect(attemptOf(event)).toBe('');
  });
});

function stored(more: Partial<NewEvent>) {
  const event: NewEvent = { id: ID, type: 'LinkCreated', data: { n: 1 }, metadata: {}, ...more };
  return toStored(checkAppend('org_1-link-1', 'no-stream', [event]).events[0]!, { id: 'a-1', at: AT });
}

/** As it is after a way through JSON. */
const read = ({ metadata }: ReturnType<typeof stored>) =>
  storedToRecordedEvent(storedAs(JSON.parse(JSON.stringify(metadata)) as JsonObject));

const storedAs = (metadata: JsonObject | undefined): StoredEvent =>
  ({
    streamId: 'org_1-link-1',
    revision: 0n,
    id: ID,
    type: 'LinkCreated',
    data: { n: 1 },
    metadata,
    created: new Date(0),
    position: { commit: 1n, prepare: 1n },
  }) as unknown as StoredEvent; // of the driver's members, those that are read
