import { RULE_OPERATORS, type RuleOperator } from '@ledgerline/contracts/events/flag.events';
import { isAttribute, matchingRule, wantedValues, type FlagContext, type OpenRule } from './flag-rules';

describe('a rule', () => {
  const ada = {
    userId: 'u1',
    email: 'Ada@Example.com',
    properties: { plan: 'team', seats: 5, beta: true, tags: ['x'] },
  };

  it.each([
    ['userId', 'equals', ['u1'], true],
    ['userId', 'equals', ['U1'], false],
    ['userId', 'in', ['u0', 'u1'], true],
    ['userId', 'not_in', ['u0'], true],
    ['userId', 'not_in', ['u1'], false],
    ['email', 'equals', ['ada@example.COM'], true],
    ['email', 'ends_with', ['@example.com', '@example.org'], true],
    ['email', 'ends_with', ['@example'], false],
    ['email', 'starts_with', ['ada@'], true],
    ['email', 'contains', ['@EX'], true],
    ['properties.plan', 'equals', ['team'], true],
    ['properties.plan', 'contains', ['ea'], true],
    ['properties.plan', 'starts_with', ['ea'], false],
    ['properties.plan', 'exists', [], true],
    ['properties.seats', 'equals', ['5'], true],
    ['properties.beta', 'equals', ['true'], true],
    ['properties.tags', 'exists', [], false],
    ['properties.none', 'exists', [], false],
    ['properties.none', 'not_in', ['x'], false],
    ['properties.constructor', 'exists', [], false],
  ] as const)('about %s that %s %j matches: %s', (attribute, operator, values, expected) => {
    const rules = [rule({ attribute, operator, values })];
    expect(matches(rules, ada)).toBe(expected);
  });

  const bo = {
    userId: 7,
    email: ['Bo@Example.com'],
    organizationId: 'o1',
    teamId: ['t1', 't2'],
    properties: {
      age: 40,
      price: '9.5',
      huge: 1e21,
      born: '1990-05-01',
      seen: '2026-11-26T10:00:00+02:00',
      tags: ['x', 3, null, {}],
      none: [],
      app: '2.10.0-beta.2',
      old: 'v1.2.3+build',
      loose: '2.10',
      beta: true,
      nothing: null,
      object: { a: 1 },
    },
  };

  it.each([
    ['organizationId', 'equals', ['o1'], true],
    ['organizationId', 'starts_with', ['o2'], false],
    ['teamId', 'any_of', ['t2', 't9'], true],
    ['teamId', 'in', ['t2'], false],
    ['userId', 'equals', ['7'], true],
    ['email', 'any_of', ['bo@example.COM'], true],
    ['properties.tags', 'any_of', ['y', '3'], true],
    ['properties.tags', 'any_of', ['null', '[object Object]'], false],
    ['properties.tags', 'none_of', ['y'], true],
    ['properties.tags', 'none_of', ['y', 'x'], false],
    ['properties.none', 'any_of', ['x'], false],
    ['properties.none', 'none_of', ['x'], true],
    ['properties.price', 'any_of', ['9.5'], true],
    ['properties.price', 'none_of', ['9.5'], false],
    ['properties.absent', 'none_of', ['x'], false],
    ['properties.nothing', 'none_of', ['x'], false],
    ['properties.object', 'exists', [], false],
    ['properties.age', 'gt', ['39.9'], true],
    ['properties.age', 'gt', ['40'], false],
    ['properties.age', 'gte', ['40.0'], true],
    ['properties.age', 'lt', ['100'], true],
    ['properties.age', 'lt', ['-3'], false],
    ['properties.age', 'lte', ['4e1'], true],
    ['properties.price', 'lt', ['10'], true],
    ['properties.huge', 'gt', ['999'], true],
    ['properties.beta', 'gte', ['0'], false],
    ['properties.tags', 'gte', ['0'], false],
    ['properties.nothing', 'lte', ['0'], false],
    ['properties.age', 'gt', ['1990-01-01'], false],
    ['properties.born', 'gt', ['5'], false],
    ['properties.born', 'lt', ['1990-05-01T00:00:01Z'], true],
    ['properties.born', 'gte', ['1990-05-01'], true],
    ['properties.seen', 'lte', ['2026-11-26T08:00:00Z'], true],
    ['properties.seen', 'gt', ['2026-11-26T08:00:00Z'], false],
    ['properties.app', 'semver_gt', ['2.9.9'], true],
    ['properties.app', 'semver_gt', ['2.10.0-beta.1'], true],
    ['properties.app', 'semver_gte', ['2.10.0'], false],
    ['properties.app', 'semver_lt', ['2.10.0'], true],
    ['properties.app', 'semver_lt', ['2.10.0-beta.10'], true],
    ['properties.old', 'semver_eq', ['1.2.3'], true],
    ['properties.old', 'semver_lte', ['1.2.3'], true],
    ['properties.loose', 'semver_gt', ['1.0.0'], false],
    ['properties.age', 'semver_gt', ['1.0.0'], false],
    ['properties.absent', 'semver_lt', ['9.0.0'], false],
  ] as const)('about %s that %s %j holds: %s', (attribute, operator, values, expected) => {
    const rules = [rule({ attribute, operator, values })];
    expect(matches(rules, bo)).toBe(expected);
  });

  it('matches where all of its conditions hold', () => {
    const and = (plan: string) => [
      { attribute: 'properties.plan', operator: 'equals', values: [plan] } as const,
      { attribute: 'properties.seats', operator: 'gte', values: ['5'] } as const,
    ];
    expect(matches([rule({ and: and('team') })], ada)).toBe(true);
    expect(matches([rule({ and: and('free') })], ada)).toBe(false);
    expect(matches([rule({ values: ['u2'], and: and('team') })], ada)).toBe(false);
  });

  it('never matches where its attribute is absent', () => {
    for (const operator of ['not_in', 'exists', 'equals'] as const)
      expect(matches([rule({ operator })], { userId: '', properties: {} })).toBe(false);
  });

  it('is about userId, email, organizationId, teamId or a property', () => {
    const known = ['userId', 'email', 'organizationId', 'teamId', 'properties.plan', 'properties.a.b'];
    expect(known.every(isAttribute)).toBe(true);
    expect(
      ['', 'name', 'properties.', 'properties', 'userId ', `properties.${'a'.repeat(200)}`].some(isAttribute),
    ).toBe(false);
  });
});

describe('an operator', () => {
  it.each<readonly [RuleOperator, readonly string[], string | undefined]>([
    ['exists', [], undefined],
    ['exists', ['x'], 'none'],
    ['any_of', ['x', 'y'], undefined],
    ['any_of', [], 'at least one value'],
    ['gt', ['-1.5'], undefined],
    ['gte', ['2030-01-31'], undefined],
    ['lt', ['2030-01-31T12:00:00+01:00'], undefined],
    ['lt', ['2030-02-30'], expect.stringContaining('one number') as string],
    ['gt', ['abc'], expect.stringContaining('one number') as string],
    ['gt', ['1', '2'], expect.stringContaining('one number') as string],
    ['gt', [], expect.stringContaining('one number') as string],
    ['semver_gte', ['1.0.0-rc.1'], undefined],
    ['semver_gte', ['1.0'], expect.stringContaining('one version') as string],
    ['semver_eq', ['1.0.0', '2.0.0'], expect.stringContaining('one version') as string],
  ])('%s takes %j, or wants %s', (operator, values, expected) => {
    const wanted = wantedValues(operator, values);
    if (expected === undefined) expect(wanted).toBeUndefined();
    else expect(wanted).toEqual(expected);
  });

  it('holds for no attribute that is null, an object, or absent', () => {
    for (const operator of RULE_OPERATORS)
      for (const nothing of [null, {}, undefined])
        expect(
          matches([rule({ operator, attribute: 'properties.it', values: ['1'] })], { properties: { it: nothing } }),
        ).toBe(false);
  });
});

const matches = (rules: readonly OpenRule[], context: FlagContext): boolean =>
  matchingRule(rules, context, () => true) !== undefined;

const rule = (more: Partial<OpenRule>): OpenRule => ({
  attribute: 'userId',
  operator: 'equals',
  values: ['u1'],
  enabled: true,
  ...more,
});
