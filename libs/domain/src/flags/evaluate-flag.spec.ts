import fc from 'fast-check';
import type { FlagDetails } from '@ledgerline/contracts/events/flag.events';
import { type OpenFlag, evaluateFlag, flagsOfWebsite } from './evaluate-flag';
import type { FlagContext, OpenRule } from './flag-rules';
import { plainFlag } from './flag.decider';
import { rolloutBucket } from './variant-ranges';

describe('a boolean flag', () => {
  it('has its default value for all', () => {
    expect(evaluate({ defaultValue: true, payload: { a: 1 } })).toEqual({
      enabled: true,
      value: true,
      payload: { a: 1 },
      reason: 'BOOLEAN_DEFAULT',
    });
    expect(evaluate({ payload: { a: 1 } })).toEqual({ ...OFF, reason: 'BOOLEAN_DEFAULT' });
  });

  it('is what the first rule that matches says', () => {
    const rules = [rule({ enabled: false, values: ['u2'] }), rule({ values: ['u1', 'u2'] }), rule({ enabled: false })];
    expect(evaluate({ rules }, { userId: 'u1' })).toEqual({ ...ON, reason: 'USER_RULE_MATCH' });
    expect(evaluate({ rules, defaultValue: true }, { userId: 'u2' })).toEqual({ ...OFF, reason: 'USER_RULE_MATCH' });
    expect(evaluate({ rules }, { userId: 'u3' })).toEqual({ ...OFF, reason: 'BOOLEAN_DEFAULT' });
  });
});

describe('a rule with a share', () => {
  it('holds for its share of those who match, who stay in while it grows, and leaves the others to what follows', () => {
    const isIn = (percentage: number) => (userId: string) =>
      evaluate({ rules: [rule({ operator: 'exists', values: [], rollout: { percentage, by: 'user' } })] }, { userId })
        .enabled;
    const people = Array.from({ length: 4_000 }, (_, n) => `u${n}`);
    const few = people.filter(isIn(20));
    const more = people.filter(isIn(30));
    expect(Math.abs(few.length - 800)).toBeLessThan(4 * Math.sqrt(4_000 * 0.2 * 0.8));
    expect(few.filter((userId) => !more.includes(userId))).toEqual([]);
    expect(people.filter(isIn(100))).toEqual(people);
    const share = { percentage: 0, by: 'team' } as const;
    const rules = [rule({ rollout: share }), rule({ rollout: { ...share, percentage: 100 } })];
    expect(evaluate({ rules: rules.slice(0, 1) }, { userId: 'u1' }).reason).toBe('BOOLEAN_DEFAULT');
    expect(evaluate({ rules }, { userId: 'u1' }).reason).toBe('USER_RULE_MATCH');
  });
});

describe('a rollout', () => {
  const rollout = (percentage: number, by: 'user' | 'organization' | 'team' = 'user') =>
    ({ type: 'rollout', rollout: { percentage, by } }) as const;

  it('has the buckets that were promised', () => {
    expect(rolloutBucket('new-checkout', 'u1')).toBe(0xe3a2cbb8);
    expect(rolloutBucket('new-checkout', 'u2')).not.toBe(rolloutBucket('other', 'u2'));
  });

  it('includes every unit at 100 and none at 0', () =>
    fc.assert(
      fc.property(fc.string(), (userId) => {
        expect(evaluate(rollout(100), { userId })).toEqual({ ...ON, reason: 'ROLLOUT_ENABLED' });
        expect(evaluate(rollout(0), { userId })).toEqual({ ...OFF, reason: 'ROLLOUT_DISABLED' });
      }),
      { seed: 7, numRuns: 50 },
    ));

  it('keeps every unit that it includes while it grows', () =>
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.tuple(percent, percent), (key, userId, percentages) => {
        const [less, more] = percentages.toSorted((a, b) => a - b) as [number, number];
        if (evaluate({ ...rollout(less), key }, { userId }).enabled)
          expect(evaluate({ ...rollout(more), key }, { userId }).enabled).toBe(true);
      }),
      { seed: 7, numRuns: 300 },
    ));

  it('goes by person, organization or team', () => {
    const ada = { userId: 'u1', organizationId: 'o1', teamId: 't1' };
    const units = { user: 'u1', organization: 'o1', team: 't1' };
    for (const by of ['user', 'organization', 'team'] as const) {
      const share = (rolloutBucket('new-checkout', units[by]) / 2 ** 32) * 100;
      expect(evaluate(rollout(share, by), ada).enabled).toBe(false);
      expect(evaluate(rollout(share + 0.001, by), ada).enabled).toBe(true);
    }
  });

  it('takes the address, in any case, where there is no id', () =>
    expect(evaluate(rollout(50), { email: 'ADA@example.com' })).toEqual(
      evaluate(rollout(50), { userId: 'ada@example.com' }),
    ));

  it('includes no context without its unit, except at 100', () => {
    expect(evaluate(rollout(99.9, 'team'), { userId: 'u1' }).enabled).toBe(false);
    expect(evaluate(rollout(100, 'team'), {}).enabled).toBe(true);
  });
});

describe('a multivariant flag', () => {
  const variants = [
    { key: 'a', value: 'red', weight: 1 },
    { key: 'none', value: 'grey', weight: 0 },
    { key: 'b', value: { hex: '#00f' }, weight: 3 },
  ];
  const flag = { type: 'multivariant', variants, defaultValue: 'black' } as const;

  it('has a variant for each person, except those of weight 0', () => {
    const results = Array.from({ length: 100 }, (_, n) => evaluate(flag, { userId: `u${n}` }));
    expect(new Set(results.map(({ variant }) => variant))).toEqual(new Set(['a', 'b']));
    const { value } = results.find(({ variant }) => variant === 'b')!;
    expect(value).toEqual({ hex: '#00f' });
    expect(new Set(results.map(({ reason }) => reason))).toEqual(new Set(['MULTIVARIANT_EVALUATED']));
  });

  it('has its default for whom there is nothing to go by', () =>
    expect(evaluate(flag, {})).toEqual({ ...OFF, value: 'black', reason: 'BOOLEAN_DEFAULT' }));

  it('has all of its variants within the share of a rule', () => {
    const rules = [rule({ operator: 'exists', values: [], rollout: { percentage: 20, by: 'user' } })];
    const all = Array.from({ length: 500 }, (_, n) => evaluate({ ...flag, rules }, { userId: `u${n}` }));
    const matched = all.filter(({ reason }) => reason === 'USER_RULE_MATCH');
    expect(new Set(matched.map(({ variant }) => variant))).toEqual(new Set(['a', 'b']));
  });

  it('gives a rule the last word', () => {
    expect(evaluate({ ...flag, rules: [rule({ enabled: false })] }, { userId: 'u1' })).toEqual({
      ...OFF,
      value: 'black',
      reason: 'USER_RULE_MATCH',
    });
    expect(evaluate({ ...flag, rules: [rule({})] }, { userId: 'u1' })).toEqual({
      ...evaluate(flag, { userId: 'u1' }),
      reason: 'USER_RULE_MATCH',
    });
  });
});

const ON = { enabled: true, value: true, payload: null };
const OFF = { enabled: false, value: false, payload: null };

const percent = fc.double({ min: 0, max: 100, noNaN: true });

const rule = (more: Partial<OpenRule>): OpenRule => ({
  attribute: 'userId',
  operator: 'equals',
  values: ['u1'],
  enabled: true,
  ...more,
});

const PLAIN: OpenFlag = {
  organizationId: 'org_1',
  websiteId: 'site_1',
  key: 'new-checkout',
  name: 'Checkout',
  ...plainFlag,
};

const evaluate = (flag: Partial<OpenFlag>, context: Partial<FlagContext> = {}) =>
  evaluateFlag({ ...PLAIN, ...flag }, { properties: {}, ...context });

describe('the flags of a website', () => {
  it('are its own and those of its organization, its own first where both have a key', () =>
    expect(names([flag('a', null), flag('b', null), flag('b', 'site_1'), flag('c', 'site_2')])).toEqual([
      'a of null',
      'b of site_1',
    ]));

  it.each([{ status: 'inactive' }, { status: 'archived' }, { environment: 'test' }] as const)(
    'leave out what a flag of the website hides, which may be %j',
    (more) => {
      expect(names([flag('a', null), flag('b', null), flag('b', 'site_1', more)], 'live')).toEqual(['a of null']);
      expect(names([flag('b', null), flag('b', 'site_2', more)], 'live')).toEqual(['b of null']);
    },
  );

  it('are the active ones', () =>
    expect(
      names([flag('a', null, { status: 'inactive' }), flag('b', null, { status: 'archived' }), flag('c', null)]),
    ).toEqual(['c of null']));

  it('are those of the environment, and those of all', () => {
    const flags = [flag('a', null, { environment: 'test' }), flag('b', null)];
    expect(names(flags)).toEqual(['b of null']);
    expect(names(flags, 'live')).toEqual(['b of null']);
    expect(names(flags, 'test')).toEqual(['a of null', 'b of null']);
  });

  it('have a state of their own in some environments, except archived ones', () => {
    const environments = [
      { name: 'live', status: 'inactive' },
      { name: 'test', status: 'active' },
    ] as const;
    const flags = (['active', 'inactive', 'archived'] as const).map((status) =>
      flag(status, null, { status, environments }),
    );
    expect(names(flags)).toEqual(['active of null']);
    expect(names(flags, 'other')).toEqual(['active of null']);
    expect(names(flags, 'live')).toEqual([]);
    expect(names(flags, 'test')).toEqual(['active of null', 'inactive of null']);
  });

  it('are read as before where they were stored without such states', () => {
    const { environments: _, ...earlier } = flag('a', null);
    expect(names([earlier], 'live')).toEqual(['a of null']);
  });
});

const flag = (key: string, websiteId: string | null, more: Partial<FlagDetails> = {}): FlagDetails => ({
  organizationId: 'org_1',
  websiteId,
  key,
  name: key,
  ...plainFlag,
  ruleValues: null,
  ...more,
});

const names = (flags: readonly FlagDetails[], environment?: string) =>
  flagsOfWebsite(flags, 'site_1', environment).map(({ key, websiteId }) => `${key} of ${websiteId}`);
