import { isDay } from '../../apps/console/src/pages/search-params';

it.each([
  ['2024-02-29', true],
  ['2026-02-30', false],
  ['2026-13-01', false],
  ['2026-1-1', false],
  ['', false],
])('%p is a day that exists: %s', (text, exists) => expect(isDay(text)).toBe(exists));
