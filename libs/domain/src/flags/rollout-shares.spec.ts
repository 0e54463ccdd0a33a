import { evaluateFlag, type FlagResult, type OpenFlag } from './evaluate-flag';
import { plainFlag } from './flag.decider';
import { BUCKETS, rolloutBucket } from './variant-ranges';

const UNITS = 100_000;

/** A share may differ by so many standard deviations of a fair draw: fewer than one of 15,000 draws differs by more. */
const MAX_DEVIATIONS = 4;
/** The bound of χ² with 99 degrees of freedom: one of 1,000 fair draws into 100 equal classes has more. */
const MAX_CHI_SQUARE = 148.2;

describe(`${UNITS} units`, () => {
  it.each([
    ['numbered', (n: number) => `user-${n}`],
    ['short', (n: number) => n.toString(36)],
    ['addresses', (n: number) => `person.${n}@example.com`],
    ['alike until the end', (n: number) => `01HZX3V5J9Q8W7T6R5Y4${String(n).padStart(6, '0')}`],
  ])('are spread evenly over the buckets: %s', (_, unit) => {
    const classes = new Array<number>(100).fill(0);
    for (let n = 0; n < UNITS; n++) classes[Math.floor((rolloutBucket('beta', unit(n)) / BUCKETS) * 100)]! += 1;
    const expected = UNITS / 100;
    const chiSquare = classes.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
    expect(chiSquare).toBeLessThan(MAX_CHI_SQUARE);
  });

  it('are included as many as each percentage says, and stay in while it grows', () => {
    let before = people.map(() => false);
    for (const percentage of [0, 0.1, 1, 10, 33.3, 50, 90, 100]) {
      const included = draw('new-checkout', percentage);
      expectShare(included, percentage / 100);
      expect(people.filter((_, at) => before[at] && !included[at])).toEqual([]);
      before = included;
    }
  });

  it('are drawn for each flag anew', () => {
    const one = draw('new-checkout', 50);
    const other = draw('new-search', 50);
    const both = one.map((isIncluded, at) => isIncluded && other[at] === true);
    expectShare(both, 0.25);
  });

  it('are given variants by weight, the same ones by every evaluation', () => {
    const variants = Object.entries({ a: 1, b: 2, c: 0, d: 7 }).map(([key, weight]) => ({ key, value: key, weight }));
    const give = () => people.map((userId) => evaluate({ type: 'multivariant', variants }, userId).variant);
    const given = give();
    for (const { key, weight } of variants) {
      const withIt = given.map((variant) => variant === key);
      expectShare(withIt, weight / 10);
    }
    expect(give()).toEqual(given);
  });
});

const people = Array.from({ length: UNITS }, (_, n) => `user-${n}`);

const draw = (key: string, percentage: number) =>
  people.map((userId) => evaluate({ key, type: 'rollout', rollout: { percentage, by: 'user' } }, userId).enabled);

function expectShare(included: readonly boolean[], share: number): void {
  const count = included.filter(Boolean).length;
  const deviation = Math.sqrt(UNITS * share * (1 - share));
  expect(Math.abs(count - UNITS * share)).toBeLessThanOrEqual(MAX_DEVIATIONS * deviation);
}

const evaluate = (flag: Partial<OpenFlag>, userId: string): FlagResult =>
  evaluateFlag({ ...PLAIN, ...flag }, { userId, properties: {} });

const PLAIN: OpenFlag = {
  organizationId: 'org_1',
  websiteId: 'site_1',
  key: 'new-checkout',
  name: 'Checkout',
  ...plainFlag,
};
