import { CATALOGUE, queryTypeNamed } from '../types/catalogue';
import { roundEstimates } from './answer';

describe('figures that are not exact', () => {
  it('are rounded to three significant digits, and others are not', async () => {
    const row = (median: number | null) => ({ sessions: 123_456, bounce_rate: 33.33, median_session_duration: median });
    const medians = [83.456, 0.012345, 1234.5, 0, null];
    const rows = await roundEstimates(queryTypeNamed('summary_metrics')!, medians.map(row));
    expect(rows).toEqual([83.5, 0.0123, 1230, 0, null].map(row));
  });

  it('are the medians and percentiles of all types', () => {
    const isMedian = (name: string) => /^(median_|p\d\d$)/.test(name);
    for (const { name, fields } of CATALOGUE) {
      const estimates = Object.keys(fields).filter((field) => fields[field]?.accuracy !== undefined);
      expect([name, estimates]).toEqual([name, Object.keys(fields).filter(isMedian)]);
    }
  });
});
