import { join } from 'node:path';
import { decidedVersions, EventVersions, observedVersions } from '@ledgerline/contracts/events/event-versions';
import { root } from '@test/docs/documents';
import { eventSchemas } from './event-schemas';
import { isUpdating, keepSchemas, keptSchemas } from './golden/schemas';

const versionOf = (type: string) => (decidedVersions.isKnown(type) ? decidedVersions : observedVersions).current(type);

describe('the shapes of events', () => {
  const declared = [...eventSchemas(join(root, 'libs/contracts/src/events'))].map(([type, schema]) => ({
    type,
    version: versionOf(type),
    schema,
  }));
  const kept = (type: string, version: number) =>
    keptSchemas().find((each) => each.type === type && each.version === version);

  if (isUpdating) keepSchemas(declared.filter(({ type, version }) => !kept(type, version)));

  it.each(declared)(
    '$type: what changes it adds a version and an upcaster to event-versions.ts',
    ({ type, version, schema }) => expect(schema).toEqual(kept(type, version)?.schema),
  );

  it('of earlier versions are kept', () => {
    const expected = declared.flatMap(({ type, version }) =>
      Array.from({ length: version }, (_, before) => `${type} ${before + 1}`),
    );
    expect(
      keptSchemas()
        .map(({ type, version }) => `${type} ${version}`)
        .sort(),
    ).toEqual(expected.sort());
  });

  it('are those of all types of both logs', () => {
    const [decided, observed] = [decidedVersions, observedVersions].map(({ types }) => types);
    // declared beside its signature
    const known = [...decided!, ...observed!].filter((type) => type !== 'IntakeHeadsSigned');
    expect(declared.map(({ type }) => type).sort()).toEqual(known.sort());
  });
});

describe('versions of events', () => {
  const versions = new EventVersions({
    Renamed: [({ title, ...data }) => ({ ...data, name: title }), (data) => ({ tags: [], ...data })],
    Plain: [],
  });

  it('become the current one step by step', () => {
    expect(versions.current('Renamed')).toBe(3);
    expect(versions.upcaster('Renamed', 1)?.({ title: 'A' })).toEqual({ name: 'A', tags: [] });
    expect(versions.upcaster('Renamed', 2)?.({ name: 'A' })).toEqual({ name: 'A', tags: [] });
    const data = { name: 'A', tags: ['b'] };
    expect(versions.upcaster('Renamed', 3)?.(data)).toBe(data);
  });

  it.each([
    ['Renamed', 4],
    ['Renamed', 0],
    ['Renamed', 1.5],
    ['Renamed', NaN],
    ['Unheard', 1],
    ['constructor', 1],
  ])('are not known: %s %d', (type, version) => expect(versions.upcaster(type, version)).toBeUndefined());
});
