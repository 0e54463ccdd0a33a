import { rowsOfTable, selectedSessions, someQuestion } from '@test/query/selected-sessions';
import fc from 'fast-check';
import { singles } from './singles';

it('the times of a page are those of its units, and of no other page but for equal times', () => {
  const unit = fc.record({ at: fc.integer({ min: 0, max: 12 }), path: fc.constant(1) });
  const page = fc.record({ page: fc.integer({ min: 1, max: 4 }), limit: fc.integer({ min: 1, max: 5 }) });
  const sort = fc.constantFrom(null, { field: 'timestamp', direction: 'asc' as const });
  fc.assert(
    fc.property(fc.array(unit, { maxLength: 16 }), page, sort, (errors, asked, sorted) => {
      const table = singles('errors').count(
        selectedSessions([{ units: { errors } }]),
        someQuestion({ page: asked, sort: sorted }),
        [],
      );
      const rows = rowsOfTable(table);
      const times = errors.map(({ at }) => at).sort((a, b) => (sorted ? a - b : b - a));
      const begin = (asked.page - 1) * asked.limit;
      const onPage = times.slice(begin, begin + asked.limit);
      const skipped = begin - times.indexOf(onPage[0] ?? -1);
      const expected = [...new Set(onPage)].map((at) => ({ at, skipped, total_rows: times.length }));
      if (expected.length > 0) expect(new Set(rows)).toEqual(new Set(expected));
      else expect(rows).toEqual(times.length === 0 ? [] : [{ at: null, skipped: 0, total_rows: times.length }]);
    }),
    { seed: 20_261_124 },
  );
});
