import { isEmbedding } from '@ledgerline/contracts/events/share.events';
import { isExistingDay } from '../../apps/console/src/pages/search-params';
import { isOver } from '../../apps/console/src/pages/website/view/view-search';

it.each([
  ['2024-02-29', true],
  ['2026-02-30', false],
  ['2026-13-01', false],
  ['2026-1-1', false],
  ['', false],
])('%p is a day that exists: %s', (text, exists) => expect(isExistingDay(text)).toBe(exists));

it.each([
  ['2026-03-01', 'UTC', true],
  ['2026-03-02', 'UTC', false],
  ['2026-03-02', 'Asia/Tokyo', true],
  ['2026-03-01', 'America/New_York', true],
  ['2026-03-03', 'UTC', false],
])('a range until %s in %s is over late on 2 March (UTC): %s', (endDate, timezone, over) =>
  expect(isOver({ endDate, timezone }, new Date('2026-03-02T23:00:00Z'))).toBe(over),
);

it.each([
  ['', true],
  [true, true],
  [1, true],
  [undefined, false],
  [false, false],
  [0, false],
])('embed=%p, as the router reads it, embeds a share: %s', (embed, isEmbedded) =>
  expect(isEmbedding(embed)).toBe(isEmbedded),
);
