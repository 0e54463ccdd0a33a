import { timeBuckets, bucketsUntil, GRANULARITIES, instantsOf } from './buckets';

describe('buckets', () => {
  it('are the days of a range, each beginning where the last one ended', () => {
    const days = timeBuckets({ startDate: '2026-03-28', endDate: '2026-03-30' }, BERLIN, 'daily', LATER);
    expect(days.map(({ label }) => label)).toEqual(['2026-03-28', '2026-03-29', '2026-03-30']);
    expect(days.map(({ from, to }) => (to - from) / HOUR)).toEqual([24, 23, 24]);
  });

  it('end with the current one', () => {
    const now = at('2026-03-28T11:30:00Z');
    const days = { startDate: '2026-03-27', endDate: '2026-03-30' };
    expect(timeBuckets(days, BERLIN, 'daily', now).at(-1)?.label).toBe('2026-03-28');
    expect(timeBuckets(days, BERLIN, 'hourly', now).at(-1)?.label).toBe('2026-03-28 12:00:00');
  });

  it('of a range that has not begun are none', () =>
    expect(timeBuckets({ startDate: '2027-01-01', endDate: '2027-01-02' }, 'UTC', 'daily', at('2026-01-01'))).toEqual(
      [],
    ));

  it('leave out an hour that clocks skip', () => {
    const hours = hoursOf('2026-03-29');
    expect(hours).toHaveLength(23);
    expect(hours).not.toContain('2026-03-29 02:00:00');
  });

  it('take an hour that clocks repeat for one', () => {
    const buckets = timeBuckets({ startDate: '2026-10-25', endDate: '2026-10-25' }, BERLIN, 'hourly', LATER);
    expect(buckets).toHaveLength(24);
    expect(buckets.find(({ label }) => label === '2026-10-25 02:00:00')).toMatchObject({
      from: at('2026-10-25T00:00:00Z'),
      to: at('2026-10-25T02:00:00Z'),
    });
  });

  it('hold half hours that clocks repeat', () => {
    const buckets = timeBuckets(
      { startDate: '2026-04-05', endDate: '2026-04-05' },
      'Australia/Lord_Howe',
      'hourly',
      LATER,
    );
    expect(buckets).toHaveLength(24);
    expect(Math.max(...buckets.map(({ from, to }) => to - from))).toBe(1.5 * HOUR);
  });

  it('are one where clocks repeat a part of two hours', () => {
    const day = { startDate: '2026-04-05', endDate: '2026-04-05' };
    const buckets = timeBuckets(day, 'Pacific/Chatham', 'hourly', LATER);
    expect(buckets.map(({ label }) => label.slice(11, 13))).toEqual(
      Array.from({ length: 24 }, (_, hour) => String(hour).padStart(2, '0')),
    );
    expect(buckets.slice(2, 4).map(({ stretches }) => stretches)).toEqual([
      [
        { from: at('2026-04-04T12:15:00Z'), to: at('2026-04-04T13:15:00Z') },
        { from: at('2026-04-04T14:00:00Z'), to: at('2026-04-04T14:15:00Z') },
      ],
      [
        { from: at('2026-04-04T13:15:00Z'), to: at('2026-04-04T14:00:00Z') },
        { from: at('2026-04-04T14:15:00Z'), to: at('2026-04-04T15:15:00Z') },
      ],
    ]);
  });

  it('have no gap before the one that is now, also where clocks repeat a part of two hours', () => {
    const day = { startDate: '2026-04-05', endDate: '2026-04-05' };
    const until = timeBuckets(day, 'Pacific/Chatham', 'hourly', at('2026-04-04T13:30:00Z'));
    expect(until.map(({ label, from, to }) => [label.slice(11, 13), (to - from) / HOUR])).toEqual([
      ['00', 1],
      ['01', 1],
      ['02', 1],
      ['03', 0.75],
    ]);
  });

  it('come twice where clocks go back by more than an hour', () => {
    const day = { startDate: '2026-10-25', endDate: '2026-10-25' };
    const labels = timeBuckets(day, 'Antarctica/Troll', 'hourly', LATER).map(({ label }) => label.slice(11, 13));
    expect(labels.slice(0, 6)).toEqual(['00', '01', '02', '01', '02', '03']);
  });

  it('begin at multiples of 15 minutes where the zone does', () => {
    const [first] = timeBuckets({ startDate: '2026-01-01', endDate: '2026-01-01' }, 'Asia/Kathmandu', 'hourly', LATER);
    expect(first).toMatchObject({ label: '2026-01-01 00:00:00', from: at('2025-12-31T18:15:00Z') });
  });

  it('leave out a day that a zone skipped', () => {
    const days = timeBuckets({ startDate: '2011-12-29', endDate: '2011-12-31' }, 'Pacific/Apia', 'daily', LATER);
    expect(days.map(({ label }) => label)).toEqual(['2011-12-29', '2011-12-31']);
  });
});

describe('buckets until now', () => {
  it('are those of each range, zone and granularity, computed once', () => {
    const buckets = bucketsUntil(LATER);
    for (let round = 0; round < 2; round++) {
      for (const startDate of ['2026-03-20', '2026-03-21', '2026-03-22', '2026-03-23', '2026-03-24']) {
        const days = { startDate, endDate: '2026-03-30' };
        for (const zone of [BERLIN, 'UTC']) {
          for (const granularity of GRANULARITIES) {
            const found = buckets(days, zone, granularity);
            expect(found).toEqual(timeBuckets(days, zone, granularity, LATER));
            expect(buckets({ ...days }, zone, granularity)).toBe(found);
          }
        }
      }
    }
  });
});

describe('a range of days', () => {
  it('lasts until the day after it begins', () =>
    expect(instantsOf({ startDate: '2026-03-29', endDate: '2026-03-29' }, BERLIN)).toEqual({
      from: at('2026-03-28T23:00:00Z'),
      to: at('2026-03-29T22:00:00Z'),
    }));
});

const BERLIN = 'Europe/Berlin';
const HOUR = 3_600_000;
const at = (iso: string) => Date.parse(iso);
const LATER = at('2030-01-01T00:00:00Z');
const hoursOf = (day: string) =>
  timeBuckets({ startDate: day, endDate: day }, BERLIN, 'hourly', LATER).map(({ label }) => label);
