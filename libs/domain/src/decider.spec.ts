import { applyChanges, changedFieldsOfEvent, omit } from './decider';

describe('changes', () => {
  it('keep what the changed fields held before', () =>
    expect(applyChanges(thing, { name: 'New', tags: ['a'] })).toEqual({
      ...thing,
      name: 'New',
      tags: ['a'],
      before: { name: 'Old', tags: [] },
    }));

  it('leave out fields that stay as they are', () =>
    expect(applyChanges(thing, { name: 'Old', note: null })).toEqual({ ...thing, note: null, before: { note: 'x' } }));

  it('are none when everything stays as it is, whatever the order of names', () => {
    expect(applyChanges(thing, {})).toBeUndefined();
    expect(applyChanges(thing, { name: 'Old', limit: { seconds: 60, max: 1 } })).toBeUndefined();
    expect(applyChanges(thing, { name: undefined })).toBeUndefined();
  });

  it('tell lists, objects, nothing and lengths apart', () => {
    for (const limit of [null, [], [1, 60], { max: 1 }, { max: 1, seconds: 61 }, { max: 1, minutes: 60 }] as unknown[])
      expect(applyChanges<object, object>(thing, { limit })).toMatchObject({ before: { limit: thing.limit } });
  });

  it('are read from the event alone', () => {
    expect(changedFieldsOfEvent({ ...thing, name: 'New', before: { name: 'Old' } })).toEqual({
      name: { before: 'Old', after: 'New' },
    });
    expect(changedFieldsOfEvent(thing)).toEqual({});
  });

  it('leave a copy without fields', () => {
    expect(omit(thing, 'name', 'limit')).toEqual({ note: 'x', tags: [] });
    expect(thing.name).toBe('Old');
  });
});

interface Thing {
  readonly name: string;
  readonly note: string | null;
  readonly tags: readonly string[];
  readonly limit: { readonly max: number; readonly seconds: number };
}

const thing: Thing = { name: 'Old', note: 'x', tags: [], limit: { max: 1, seconds: 60 } };
