import type { Flag } from '@ledgerline/contracts/records';
import { omit } from '@ledgerline/domain/decider';
import { plainFlag } from '@ledgerline/domain/flags/flag.decider';
import { openFlag, valuesOf } from './sealed-rules';

describe('a flag that is opened', () => {
  it('has the values of each condition of each rule, and nothing that only evaluation needs', () => {
    const opened = openFlag(FLAG, [['a'], ['5'], [], ['b', 'c']]);
    expect(opened.rules).toEqual([
      { ...FLAG.rules[0], values: ['a'], and: [{ ...SEATS, values: ['5'] }] },
      { ...FLAG.rules[1], values: [] },
      { ...FLAG.rules[2], values: ['b', 'c'] },
    ]);
    expect(valuesOf(opened.rules)).toEqual([['a'], ['5'], [], ['b', 'c']]);
    expect(opened).not.toHaveProperty('variantRanges');
    expect(opened).not.toHaveProperty('ruleValues');
  });

  it('is opened as ever where it was stored before there were further conditions and states of environments', () => {
    const [first, , last] = FLAG.rules;
    const earlier: Flag = { ...omit(FLAG, 'environments', 'variantRanges'), rules: [omit(first!, 'and'), last!] };
    const { environments, rules } = openFlag(earlier, [['a'], ['b']]);
    expect(environments).toEqual([]);
    expect(rules.map(({ values }) => values)).toEqual([['a'], ['b']]);
  });

  it('has no values where they cannot be read', () =>
    expect(valuesOf(openFlag(FLAG, undefined).rules)).toEqual([[], [], [], []]));
});

const SEATS = { attribute: 'properties.seats', operator: 'gte' } as const;

const FLAG: Flag = {
  ...plainFlag,
  id: 'flag_1',
  organizationId: 'org_1',
  websiteId: null,
  key: 'beta',
  name: 'Beta',
  rules: [
    { attribute: 'email', operator: 'equals', enabled: true, and: [SEATS] },
    { attribute: 'userId', operator: 'exists', enabled: false },
    { attribute: 'teamId', operator: 'any_of', enabled: true },
  ],
  ruleValues: 'sealed',
  createdAt: new Date(0),
  updatedAt: new Date(0),
  revision: 3,
};
