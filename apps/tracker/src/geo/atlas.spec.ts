import { Atlas, UNKNOWN_PLACE } from './atlas';

describe('the atlas', () => {
  let atlas: Atlas;
  beforeAll(async () => (atlas = await Atlas.open()));

  it('knows where public addresses are', () => {
    expect(atlas.locate('81.2.69.142')).toMatchObject({ country: 'GB' });
    expect(atlas.locate('::ffff:81.2.69.142')).toEqual(atlas.locate('81.2.69.142'));
    expect(atlas.locate('2a00:1450:4001:830::200e').country).toMatch(/^[A-Z]{2}$/);
  });

  it.each(['127.0.0.1', '10.0.0.1', '::1', '', 'no address'])('does not know where %s is', (address) =>
    expect(atlas.locate(address)).toEqual(UNKNOWN_PLACE),
  );
});
