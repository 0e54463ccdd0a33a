import { describeFinding } from './findings';

it('a finding names table, subject, day and rows, without the ends of long values', () => {
  const counts = { missing: 1, extra: 0, changed: 0 };
  const expected = { day: '2026-03-02', bins: Array<number>(500).fill(4_294_967_297) };
  const text = describeFinding({
    table: 'website_rollups.sessions',
    subject: 'site_1',
    day: 20_514,
    ...counts,
    expected,
    found: null,
  });
  expect(text).toMatch(
    /^website_rollups.sessions: site_1 on 2026-03-02: 1 missing; expected day "2026-03-02", bins \[4294967297,.*…; found no row$/,
  );
  expect(text.length).toBeLessThan(200);
});
