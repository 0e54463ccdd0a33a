import { selectedSessions, someQuestion } from '@test/query/selected-sessions';
import fc from 'fast-check';
import { counted } from './counted';
import { COUNT, positive } from './measures';
import { withMostFrequent } from './most-frequent';
import { ranked } from './ranked';

const pages = ranked(counted({ of: 'views', by: { value: 'path' }, measures: { views: COUNT } }), { by: ['views'] });

const span = fc.record({
  path: fc.integer({ min: 1, max: 3 }),
  rage_target: fc.integer({ min: 0, max: 3 }),
  rage_clicks: fc.integer({ min: 0, max: 2 }),
  form_fields: fc.integer({ min: 0, max: 1 }),
});

it('beside rows of pages are the texts of the greatest sum of times, all that are equally frequent', () => {
  const counting = withMostFrequent(pages, {
    clicked: { text: 'rage_target', times: 'rage_clicks' },
    touched: { text: 'rage_target', where: positive('form_fields') },
  });
  fc.assert(
    fc.property(fc.array(span, { maxLength: 12 }), (spans) => {
      const views = [1, 2].map((path) => ({ path, at: 0 }));
      const table = counting.count(selectedSessions([{ units: { views, spans } }]), someQuestion(), []);
      for (const [row, value] of (table.columns['value'] ?? []).entries()) {
        const here = spans.filter(({ path, rage_target }) => path === value && rage_target > 0);
        const most = (timesOf: (span: (typeof spans)[number]) => number) => {
          const sums = [1, 2, 3].map((id) =>
            here.filter(({ rage_target }) => rage_target === id).reduce((sum, each) => sum + timesOf(each), 0),
          );
          const found = [1, 2, 3].filter((id) => (sums[id - 1] ?? 0) > 0 && sums[id - 1] === Math.max(...sums));
          return found.length === 0 ? null : new Set(found);
        };
        const found = (name: string) => table.lists?.[name]?.[row] ?? null;
        const asSet = (cell: readonly number[] | null) => cell && new Set(cell);
        expect(asSet(found('clicked'))).toEqual(most(({ rage_clicks }) => rage_clicks));
        expect(asSet(found('touched'))).toEqual(most(({ form_fields }) => form_fields));
      }
      expect(table.size).toBe(2);
    }),
    { seed: 20_261_125 },
  );
});
