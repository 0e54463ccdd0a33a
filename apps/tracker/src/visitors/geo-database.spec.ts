import { GeoDatabase } from './geo-database';
import { UNKNOWN_PLACE } from './visitor-attributes';

describe('the geo database', () => {
  let geo: GeoDatabase;
  beforeAll(async () => (geo = await GeoDatabase.open()));

  it('locates public addresses', () => {
    expect(geo.locate('81.2.69.142')).toMatchObject({ country: 'GB' });
    expect(geo.locate('::ffff:81.2.69.142')).toEqual(geo.locate('81.2.69.142'));
    expect(geo.locate('2a00:1450:4001:830::200e').country).toMatch(/^[A-Z]{2}$/);
  });

  it.each(['127.0.0.1', '10.0.0.1', '::1', '', 'no address'])('does not locate %s', (address) =>
    expect(geo.locate(address)).toEqual(UNKNOWN_PLACE),
  );
});
