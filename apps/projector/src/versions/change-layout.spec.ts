import fc from 'fast-check';
import type { ReadModel } from '@ledgerline/contracts/read-models/read-model';
import { declarationOf } from '@ledgerline/platform/database/read-model-tables';
import { tableVersionOf, type GroupLayout } from '@ledgerline/platform/table-versions/live-tables';
import { programOf } from '@ledgerline/platform/table-versions/program';
import { linksGroup } from '../projections/links/links-group';
import {
  hasDifferences,
  partialFlip,
  partialRollback,
  wholeFlip,
  wholeRollback,
  withDifferences,
  withoutPrevious,
  type LayoutChange,
} from './change-layout';

const group = linksGroup();
const [first, second] = group.builds as [ReadModel, ReadModel];
const before: GroupLayout = { id: 'first', version: 1, tables: {}, previous: null };
const stored = [1, 2].flatMap((version) =>
  group.builds.map((model) => ({ version, name: model.name, declaration: declarationOf(model) })),
);
const UNTIL = '2026-03-03T00:00:00.000Z';
const after = (change: LayoutChange): GroupLayout => ({ id: 'later', ...change });
const answering = (layout: GroupLayout) => group.builds.map(({ name }) => tableVersionOf(layout, name));

describe('the layout of a group', () => {
  it('answers as before when some of its tables are rolled back, and as after the flip when that is, too', () => {
    const models = fc.subarray([...group.builds], { minLength: 1 });
    fc.assert(
      fc.property(models, (flipped) => {
        const flip = after(partialFlip(before, stored, flipped, 2));
        expect(answering(flip)).toEqual(group.builds.map((model) => (flipped.includes(model) ? 2 : 1)));
        const back = after(partialRollback(flip, flipped));
        expect(answering(back)).toEqual(answering(before));
        expect(answering(after(partialRollback(back, flipped)))).toEqual(answering(flip));
      }),
      { seed: 1127 },
    );
  });

  it('answers as before when it is rolled back as a whole, also where single tables were of other versions', () => {
    const mixed = after(partialFlip(before, stored, [first], 2));
    const flip = after(wholeFlip(group, mixed, stored, 3, UNTIL));
    expect(answering(flip)).toEqual(group.builds.map(() => 3));
    const back = after(wholeRollback(group, flip, stored, UNTIL));
    expect(answering(back)).toEqual(answering(mixed));
    expect(answering(after(wholeRollback(group, back, stored, UNTIL)))).toEqual(answering(flip));
  });

  it('keeps nothing that no program can go on writing, and leaves what another one can to that', () => {
    const another = { meaning: 'another', columns: {} };
    const changed = stored.map((table) => (table.name === first.name ? { ...table, declaration: another } : table));
    expect(wholeFlip(group, before, changed, 2, UNTIL).previous).toEqual({
      version: 1,
      tables: {},
      writtenUntil: UNTIL,
      program: programOf(changed.filter(({ version }) => version === 1)),
    });
    expect(wholeFlip(group, before, stored, 2, UNTIL).previous).not.toHaveProperty('program');
    const frozen: GroupLayout = { ...before, tables: { [second.name]: { isFrozen: true } } };
    expect(wholeFlip(group, frozen, changed, 2, UNTIL).previous).toBeNull();
    expect(partialFlip(before, changed, [first, second], 2).tables).toEqual({
      [first.name]: { version: 2 },
      [second.name]: { version: 2, previous: 1 },
    });
  });

  it('forgets what it has kept of tables, and of a whole version, without another answer', () => {
    const flip = after(partialFlip(before, stored, [first, second], 2));
    const dropped = after(withoutPrevious(flip, [first]));
    expect(answering(dropped)).toEqual(answering(flip));
    expect(dropped.tables).toEqual({ [first.name]: { version: 2 }, [second.name]: { version: 2, previous: 1 } });
    expect(withoutPrevious(after(wholeFlip(group, before, stored, 2, UNTIL)), []).previous).toBeNull();
  });

  it('has differences where pending tables wait for them to be accepted', () => {
    const pending: GroupLayout = {
      ...before,
      tables: { [first.name]: { pending: 2 }, [second.name]: { previous: 2 } },
    };
    expect(hasDifferences(pending)).toBe(false);
    const waiting = after(withDifferences(pending));
    expect(hasDifferences(waiting)).toBe(true);
    expect(waiting.tables[second.name]).toEqual({ previous: 2 });
  });
});
