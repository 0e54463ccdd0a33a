import type { AnswerRow } from '@ledgerline/domain/query/rows';
import type { RequestAnswer } from '../query/execution/response';
import { listed } from './tool';
import { truncateForModel } from './truncate-for-model';

describe('an answer for a model', () => {
  it('is left as it is while it is short', () => {
    const rows = [{ name: '/', pageviews: 3 }];
    expect(truncatedRows('top_pages', rows)).toEqual({ rows, truncated: false, notes: ['a note of its own'] });
  });

  it('has the first rows of a long list, and says how to get the others', () => {
    const rows = Array.from({ length: 5_000 }, (_, n) => ({ name: `/page/${n}`, pageviews: 5_000 - n }));
    const { rows: kept, truncated, notes } = truncatedRows('top_pages', rows);
    expect(truncated).toBe(true);
    expect(kept).toEqual(rows.slice(0, kept.length));
    expect(kept.length).toBeGreaterThan(300);
    expect(JSON.stringify(kept).length).toBeLessThan(26_000);
    expect(notes[1]).toContain(`the first ${kept.length} of 5000 rows are shown; get others with limit ${kept.length}`);
  });

  it('has whole buckets of a long series at equal distances, with the newest', () => {
    const dates = Array.from({ length: 1_000 }, (_, n) => new Date(n * 86_400_000).toISOString().slice(0, 10));
    const rows = dates.flatMap((date) => ['LCP', 'CLS'].map((metric_name) => ({ date, metric_name, p50: 1, p75: 2 })));
    const { rows: kept } = truncatedRows('vitals_time_series', rows);
    const shown = [...new Set(kept.map(({ date }) => date))];
    const places = shown.map((date) => dates.indexOf(String(date)));
    const distances = places.slice(1).map((place, at) => place - places[at]!);
    expect(new Set(distances).size).toBe(1);
    expect(distances[0]).toBeGreaterThan(1);
    expect(shown.at(-1)).toBe(dates.at(-1));
    expect(kept.length).toBe(shown.length * 2);
  });

  it('has long texts and inner lists cut, without halves of characters', () => {
    const stack = `${'x'.repeat(499)}😀${'y'.repeat(100)}`;
    const events = Array.from({ length: 50 }, (_, n) => ({ id: String(n) }));
    const { rows, truncated, notes } = truncatedRows('session_list', [{ session_id: 's', stack, events }]);
    expect(rows).toEqual([{ session_id: 's', stack: `${'x'.repeat(499)}…`, events: events.slice(0, 20) }]);
    expect([truncated, notes.length]).toEqual([true, 2]);
  });

  it('has fractions rounded, without saying that anything was cut', () => {
    const row = { name: '/', average: 62.483333, share: 33.333333333333336, score: 0.012345, visitors: 123456789 };
    const rows = [{ name: '/', average: 62.48, share: 33.33, score: 0.0123, visitors: 123456789 }];
    expect(truncatedRows('top_pages', [row])).toEqual({ rows, truncated: false, notes: ['a note of its own'] });
  });

  it('has at least one row of each query type', () => {
    const wide = {
      name: '/',
      ...Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`f${n}`, 'x'.repeat(400)])),
    };
    expect(truncatedRows('top_pages', [wide, wide]).rows).toHaveLength(1);
  });

  it('shares its length among the query types', () => {
    const rows = Array.from({ length: 1_000 }, (_, n) => ({ name: `/page/${n}`, pageviews: n }));
    const entry = { parameter: 'top_pages', success: true as const, data: rows };
    const { data } = truncateForModel({ data: Array.from({ length: 10 }, () => entry), meta: META });
    expect(JSON.stringify(data).length).toBeLessThan(30_000);
  });
});

describe('a list for a model', () => {
  it('has as many items as are asked for, and inner lists cut', () => {
    const found = Array.from({ length: 60 }, (_, n) => ({ name: `Tag ${n}`, ids: Array.from({ length: 30 }, String) }));
    const { tags, nextOffset, truncated } = listed('tags', found, { limit: 50, offset: 0 });
    const first = found.slice(0, 50).map((each) => ({ ...each, ids: each.ids.slice(0, 20) }));
    expect([tags, nextOffset, truncated]).toEqual([first, 50, true]);
  });
});

const META = { notes: ['a note of its own'] } as unknown as RequestAnswer['meta']; // the rest is passed on

function truncatedRows(parameter: string, rows: readonly AnswerRow[]) {
  const { data, meta, truncated } = truncateForModel({ data: [{ parameter, success: true, data: rows }], meta: META });
  return { rows: data[0]!.data, truncated, notes: meta.notes };
}
