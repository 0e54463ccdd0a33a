import { ImportIdentity, LineTimes } from './page-view-of-line';

describe('the ids of an import', () => {
  it('are visitors of one day of the website', () => {
    const visitor = (time: string) =>
      new ImportIdentity('site_1', Buffer.alloc(32, 1), 'America/Los_Angeles').visitorOf('a', 'b', Date.parse(time));
    expect(visitor('2015-05-17T23:50:00Z')).toBe(visitor('2015-05-18T06:59:59Z'));
    expect(visitor('2015-05-18T07:00:00Z')).not.toBe(visitor('2015-05-18T06:59:59Z'));
  });

  it('are, in UTC, visitors of one of its days', () => {
    const visitor = identity().visitorOf('192.0.2.1', 'Chrome', noon);
    expect(visitor).toMatch(/^[0-9a-f]{32}$/);
    expect(identity().visitorOf('192.0.2.1', 'Chrome', noon + 3_600_000)).toBe(visitor);
    expect(identity().visitorOf('192.0.2.1', 'Chrome', noon + 86_400_000)).not.toBe(visitor);
    expect(identity().visitorOf('192.0.2.2', 'Chrome', noon)).not.toBe(visitor);
    expect(identity(Buffer.alloc(32, 2)).visitorOf('192.0.2.1', 'Chrome', noon)).not.toBe(visitor);
  });

  it('are equal lines of one file by their number, in every import', () => {
    const first = ['a', 'b', 'a', 'a'].map((line) => imported.eventIdOf(line));
    expect(new Set(first).size).toBe(4);
    imported.beginFile();
    expect(['a', 'b', 'a', 'a'].map((line) => imported.eventIdOf(line))).toEqual(first);
  });

  it('are lines of one website and secret', () => {
    const ids = [identity(), identity(Buffer.alloc(32, 2)), new ImportIdentity('site_2', Buffer.alloc(32, 1))];
    expect(new Set(ids.map((each) => each.eventIdOf('a'))).size).toBe(3);
  });
});

it('the times of lines in one second of a visitor are in their order, and within it', () => {
  const times = new LineTimes();
  const [a, b] = ['a', 'b'].map((visitor) => (at: number) => times.take(visitor, noon + at) - noon);
  expect([a!(0), a!(0), b!(0), a!(1_000), a!(0), a!(999), a!(999)]).toEqual([0, 1, 0, 1_000, 2, 999, 999]);
  expect(Array.from({ length: 1_002 }, () => b!(5_000)).slice(-3)).toEqual([5_999, 5_999, 5_999]);
});

const noon = Date.parse('2015-05-17T12:00:00Z');
const identity = (secret = Buffer.alloc(32, 1)) => new ImportIdentity('site_1', secret);
const imported = identity();
