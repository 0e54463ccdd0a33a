import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mmdbOf } from '@test/tracker/mmdb-file';
import { waitUntil } from '@test/wait-until';
import { GeoDatabase, UNKNOWN_PLACE } from './geo-database';

describe('the geo database', () => {
  let geo: GeoDatabase;
  beforeAll(async () => (geo = await GeoDatabase.open()));

  it('locates public addresses', () => {
    expect(geo.locate('81.2.69.142')).toMatchObject({ country: 'GB' });
    expect(geo.locate('2a00:1450:4001:830::200e').country).toMatch(/^[A-Z]{2}$/);
  });

  it.each(['127.0.0.1', '10.0.0.1', '::1', '', 'no address'])('does not locate %s', (address) =>
    expect(geo.locate(address)).toEqual(UNKNOWN_PLACE),
  );
});

describe('the operator’s own geo database', () => {
  const logger = { info: jest.fn(), error: jest.fn() };
  let folder: string;
  let path: string;
  let geo: GeoDatabase;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'ledgerline-geo-'));
    path = join(folder, 'city.mmdb');
    await writeFile(path, mmdbOf({ country: { iso_code: 'NL' }, city: { names: { en: 'Delft' } } }));
    geo = (await GeoDatabase.open(path)).watch(logger, 10);
  });
  afterAll(async () => {
    await geo.onApplicationShutdown();
    await rm(folder, { recursive: true });
  });

  const country = () => geo.locate('81.2.69.142').country;
  const replace = async (content: Buffer) => {
    await writeFile(`${path}.new`, content);
    await rename(`${path}.new`, path);
  };

  it('is used instead of the included one', () => {
    expect(geo.locate('81.2.69.142')).toEqual({ country: 'NL', region: null, city: 'Delft' });
  });

  it('is loaded again when the file changes, also for addresses located before', async () => {
    await replace(mmdbOf({ country_code: 'SE', state1: 'Skåne', city: 'Lund' }));
    await waitUntil(() => country() === 'SE');
    expect(geo.locate('81.2.69.142')).toEqual({ country: 'SE', region: 'Skåne', city: 'Lund' });
  });

  it('stays in use while the file cannot be read or is gone', async () => {
    await replace(mmdbOf({ country_code: 'DK' }).subarray(0, 20));
    await waitUntil(() => logger.error.mock.calls.length === 1);
    await rm(path);
    await waitUntil(() => logger.error.mock.calls.length === 2);
    expect(country()).toBe('SE');
    await replace(mmdbOf({ country_code: 'DK' }));
    await waitUntil(() => country() === 'DK');
  });
});
