import { randomBytes, randomUUID } from 'node:crypto';
import { Pool } from 'pg';
import { appended, event, freshStream } from '@test/event-store/laws/harness';
import { createTestDatabase, type TestDatabase } from '@test/postgres/test-database';
import { streamOrganization, type NewEvent, type RecordedEvent } from '../event-store/event-store';
import { PostgresEventStore } from '../event-store/postgres-event-store';
import { verifyChain } from '../event-store/verify-chain';
import {
  type PersonalData,
  PersonalDataCipher,
  readParts,
  encodeSealedParts,
  SubjectKeys,
} from './personal-data-cipher';

const ADA: PersonalData = { name: 'Ada Lovelace', email: 'ada@example.com', ip: '203.0.113.7', userAgent: 'Firefox' };
const SECRET = 'a secret for tests that is long enough 0123456789';

describe('personal data in events', () => {
  let database: TestDatabase;
  let pool: Pool;
  let store: PostgresEventStore;
  let keys: SubjectKeys;
  let cipher: PersonalDataCipher;

  beforeAll(async () => {
    database = await createTestDatabase();
    pool = new Pool({ connectionString: database.url });
    store = new PostgresEventStore(database.url);
  });
  beforeEach(() => ([keys, cipher] = process()));
  afterAll(async () => {
    await store.close();
    await pool.end();
    await database.drop();
  });

  /** As another process has them. */
  const process = (secret = SECRET): [SubjectKeys, PersonalDataCipher] => {
    const own = new SubjectKeys(pool, secret);
    return [own, new PersonalDataCipher(own)];
  };
  /** Returns the ids of all keys that the subject ever had. */
  const forget = async (organization: string, subject: string): Promise<readonly string[]> => {
    const keyIds = await keys.idsOf(organization, subject);
    await keys.destroy(organization, keyIds);
    return keyIds;
  };
  const sealedEvent = async (organization: string, data: Readonly<Record<string, PersonalData>>): Promise<NewEvent> => {
    const id = randomUUID();
    const sealed = await cipher.seal({ organization, eventId: id }, new Map(Object.entries(data)));
    return event(
      {},
      { id, metadata: { organization, schemaVersion: '2' }, ...(sealed === undefined ? {} : { sealed }) },
    );
  };
  const recorded = async (data: Readonly<Record<string, PersonalData>>, count = 1): Promise<RecordedEvent[]> => {
    const stream = freshStream();
    const events = await Promise.all(
      Array.from({ length: count }, () => sealedEvent(streamOrganization(stream), data)),
    );
    await appended(store, stream, 'no-stream', events);
    return [...(await store.readStream(stream))];
  };

  it('is not plain in what is stored, and comes back as it was', async () => {
    const [stored] = await recorded({ usr_1: ADA, key_1: { ip: '198.51.100.1' } });
    const text = JSON.stringify(stored) + Buffer.from(stored!.sealed!, 'base64').toString();
    for (const value of Object.values(ADA)) expect(text).not.toContain(value);
    const [, other] = process();
    expect(await other.open([stored!])).toEqual(
      new Map([
        [
          stored!.id,
          new Map([
            ['usr_1', ADA],
            ['key_1', { ip: '198.51.100.1' }],
          ]),
        ],
      ]),
    );
  });

  it('is forgotten with the key of its subject, and the chain still holds', async () => {
    const events = await recorded({ usr_1: ADA, usr_2: { name: 'Bob' } }, 3);
    const organization = streamOrganization(events[0]!.stream);
    const before = await verifyChain(store, organization);
    const keyIds = await forget(organization, 'usr_1');
    expect(keyIds).toHaveLength(1);
    expect(await verifyChain(store, organization)).toEqual(before);
    expect(before).toMatchObject({ valid: true, events: 3 });
    for (const own of [cipher, process()[1]])
      expect([...(await own.open(events)).values()]).toEqual(
        Array(3).fill(new Map(Object.entries({ usr_1: { erased: true }, usr_2: { name: 'Bob' } }))),
      );
    expect(await forget(organization, 'usr_1')).toEqual(keyIds);
  });

  it('is encrypted with a new key after that, which does not open what was forgotten', async () => {
    const [old] = await recorded({ usr_1: ADA });
    const organization = streamOrganization(old!.stream);
    const first = await forget(organization, 'usr_1');
    await appended(store, old!.stream, 0, [await sealedEvent(organization, { usr_1: { name: 'Ada again' } })]);
    const events = await store.readStream(old!.stream);
    const opened = [...(await cipher.open(events)).values()].map((data) => data.get('usr_1'));
    expect(opened).toEqual([{ erased: true }, { name: 'Ada again' }]);
    expect(await forget(organization, 'usr_1')).toEqual([...first, expect.any(String)]);
  });

  it('of one organization is not touched by what another forgets', async () => {
    const [one] = await recorded({ usr_1: ADA });
    const [other] = await recorded({ usr_1: ADA });
    await forget(streamOrganization(one!.stream), 'usr_1');
    expect((await cipher.open([other!])).get(other!.id)).toEqual(new Map([['usr_1', ADA]]));
  });

  it('has one key per subject, also when many processes begin at once', async () => {
    const found = await Promise.all(Array.from({ length: 8 }, () => process()[0].inUse('org_many', 'usr_1')));
    expect(new Set(found.map(({ keyId }) => keyId)).size).toBe(1);
  });

  it('cannot be read with the table alone, and another secret brings a key of its own', async () => {
    const [stored] = await recorded({ usr_1: ADA });
    const [others, withOtherSecret] = process(`${SECRET}!`);
    expect((await withOtherSecret.open([stored!])).get(stored!.id)).toEqual(new Map());
    const organization = streamOrganization(stored!.stream);
    const own = await keys.inUse(organization, 'usr_1');
    const theirs = await others.inUse(organization, 'usr_1');
    expect(theirs.keyId).not.toBe(own.keyId);
    const rows = await pool.query<{ wrapped: Buffer }>('select wrapped from subject_keys where key_id = $1', [
      own.keyId,
    ]);
    expect(rows.rows[0]!.wrapped.includes(own.key)).toBe(false);
    expect(await forget(organization, 'usr_1')).toEqual([own.keyId, theirs.keyId].sort());
  });

  it('cannot be moved to another event, organization or subject', async () => {
    const [stored] = await recorded({ usr_1: ADA });
    const moved = [
      { ...stored!, id: randomUUID() },
      { ...stored!, stream: 'org_other-thing-1' },
      {
        ...stored!,
        sealed: encodeSealedParts(readParts(stored!.sealed!).map((part) => ({ ...part, subject: 'usr_2' }))),
      },
      { ...stored!, sealed: encodeSealedParts(readParts(stored!.sealed!).map((part) => ({ ...part, text: 'AAAA' }))) },
    ];
    for (const each of moved) expect((await cipher.open([each])).get(each.id)).toEqual(new Map());
    const claimed = { ...stored!, metadata: { organization: 'org_other' } }; // its stream decides
    expect((await cipher.open([claimed])).get(claimed.id)).toEqual(new Map([['usr_1', ADA]]));
  });

  it('is absent from events without it, whatever stands in their sealed part', async () => {
    const garbage = [undefined, '', 'AAAA', randomBytes(50).toString('base64'), base64('{}'), base64('[1,null,{}]')];
    const events = garbage.map((sealed) => event({}, sealed === undefined ? {} : { sealed }));
    const stored = events.map((each, n) => ({ ...each, stream: 'org_1-thing-1', revision: n }) as RecordedEvent);
    expect([...(await cipher.open(stored)).values()]).toEqual(garbage.map(() => new Map()));
    expect(await cipher.seal({ organization: 'org_1', eventId: randomUUID() }, new Map())).toBeUndefined();
  });
});

const base64 = (text: string): string => Buffer.from(text).toString('base64');
