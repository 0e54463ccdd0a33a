import type { FlagDetails } from '@ledgerline/contracts/events/flag.events';
import { flagsOfWebsite } from './flags-of-website';
import { plainFlag } from './flag.decider';

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
