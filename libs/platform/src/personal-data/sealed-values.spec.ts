import { randomBytes } from 'node:crypto';
import { FlagValues, type RuleValues } from './sealed-values';

describe('the values of the rules of a flag', () => {
  it('come back as they were, and are not in their text', async () => {
    const sealed = await process().seal(FLAG, VALUES);
    expect(Buffer.from(sealed.split('.')[2]!, 'base64').toString('latin1')).not.toContain('ada@example.com');
    expect(await process().open([{ ...FLAG, sealed }])).toEqual(new Map([[sealed, VALUES]]));
  });

  it('are another text each time, with a key of its own', async () => {
    const values = process();
    expect(await values.seal(FLAG, VALUES)).not.toBe(await values.seal(FLAG, VALUES));
    expect(new Set(keys.keys()).size).toBe(2);
  });

  it('cannot be read in another flag or organization', async () => {
    const sealed = await process().seal(FLAG, VALUES);
    for (const other of [{ id: 'flag_2' }, { organizationId: 'org_2' }])
      expect(await process().open([{ ...FLAG, ...other, sealed }])).toEqual(new Map());
  });

  it('are asked for with one request for all keys, once', async () => {
    const writer = process();
    const flags = await Promise.all(
      [VALUES, [['b']]].map(async (each) => ({ ...FLAG, sealed: await writer.seal(FLAG, each) })),
    );
    const reader = process();
    expect((await reader.open([...flags, { ...FLAG, sealed: null }])).size).toBe(2);
    expect((await reader.open(flags)).size).toBe(2);
    expect(asked.map(({ length }) => length).filter((length) => length > 0)).toEqual([2]);
  });

  it('cannot be read once they are destroyed, also not by whoever had read them here', async () => {
    const values = process();
    const flags = [{ ...FLAG, sealed: await values.seal(FLAG, VALUES) }];
    expect((await values.open(flags)).size).toBe(1);
    await values.destroy(flags);
    await values.destroy(flags);
    for (const each of [values, process()]) expect(await each.open(flags)).toEqual(new Map());
  });
});

const FLAG = { organizationId: 'org_1', id: 'flag_1' };
const VALUES: RuleValues = [['ada@example.com', 'ü'], []];

let keys: Map<string, Buffer>;
let asked: (readonly string[])[];

beforeEach(() => {
  keys = new Map();
  asked = [];
});

/** As each process has them, on the same keys. */
const process = () =>
  new FlagValues({
    inUse: (organization, subject) => {
      const keyId = `sk_${organization}_${subject.replaceAll('.', '_')}`;
      const key = randomBytes(32);
      keys.set(keyId, key);
      return Promise.resolve({ keyId, key });
    },
    find: (keyIds) => {
      asked.push(keyIds);
      return Promise.resolve(new Map([...keys].filter(([keyId]) => keyIds.includes(keyId))));
    },
    destroy: (_, keyIds) => {
      for (const keyId of keyIds) keys.delete(keyId);
      return Promise.resolve();
    },
  });
