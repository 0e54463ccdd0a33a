import type { FlagCreated, FlagDeleted, FlagSettings, FlagUpdated } from '@ledgerline/contracts/events/flag.events';
import { specify } from '@test/domain/given';
import { flag, plainFlag, type CreateFlag, type DeleteFlag, type UpdateFlag } from './flag.decider';

const SHOE = { attribute: 'shoeSize', operator: 'gt' } as const;

describe('a flag', () => {
  it('is created', () => given().when(create()).then(created()));

  it('is created once under its key', () => given(created()).when(create({}, 'flag_2')).rejects('FLAG_EXISTS'));

  it('is updated, and keeps what its fields held before', () =>
    given(created())
      .when(update({ name: 'Beta', status: 'inactive' }))
      .then(updated({ name: 'Beta', status: 'inactive' }, { name: 'Checkout', status: 'active' })));

  it('stays without an event when an update changes nothing', () =>
    given(created())
      .when(update({ name: 'Checkout', variants: [] }))
      .then());

  it('changes its type together with what the type needs', () => {
    const rollout = { percentage: 20, by: 'user' } as const;
    given(created())
      .when(update({ type: 'rollout', rollout }))
      .then(updated({ type: 'rollout', rollout }, { type: 'boolean', rollout: null }));
    given(created())
      .when(update({ type: 'rollout' }))
      .rejects('FLAG_ROLLOUT_INVALID');
  });

  it('keeps people in their variants when one is added, and moves nobody when only values change', () => {
    const settings = { type: 'multivariant', variants: [variant('a'), variant('b')] } as const;
    const variants = [variant('a'), variant('b'), { ...variant('c'), weight: 2 }];
    const half = 2 ** 31;
    const variantRanges = [
      { variant: 'a', end: half / 2 },
      { variant: 'c', end: half },
      { variant: 'b', end: half * 1.5 },
      { variant: 'c', end: half * 2 },
    ];
    const added = updated(
      { ...settings, variants, variantRanges },
      { variants: settings.variants, variantRanges: null },
    );
    given(created(settings)).when(update({ variants })).then(added);
    given(created(settings), added)
      .when(update({ variants: settings.variants }))
      .then(updated(settings, { variants, variantRanges }));
    const renamed = variants.map((each) => ({ ...each, value: 'new' }));
    given(created(settings), added)
      .when(update({ variants: renamed }))
      .then(updated({ ...settings, variants: renamed, variantRanges }, { variants }));
    given(created(settings), added)
      .when(update({ type: 'boolean', variants: [] }))
      .then(updated({}, { type: 'multivariant', variants, variantRanges }));
  });

  it('is deleted, and its key is free for another', () => {
    given(created()).when(remove()).then(deleted);
    given(created({ ruleValues: 'sealed' }))
      .when(remove())
      .then(deleted);
    given(created(), deleted).when(remove()).rejects('FLAG_NOT_FOUND');
    given(created(), deleted).when(create({}, 'flag_2')).then(created({}, 'flag_2'));
  });

  it('is not changed or deleted by what is meant for an earlier one with its key', () => {
    const history = [created(), deleted, created({}, 'flag_2')];
    given(...history)
      .when(update({ name: 'Late' }))
      .rejects('FLAG_NOT_FOUND');
    given(...history)
      .when(remove())
      .rejects('FLAG_NOT_FOUND');
  });

  it.each([
    ['FLAG_DEFAULT_INVALID', { defaultValue: 'on' }],
    ['FLAG_DEFAULT_INVALID', { type: 'rollout', rollout: { percentage: 1, by: 'team' }, defaultValue: null }],
    ['FLAG_ROLLOUT_INVALID', { rollout: { percentage: 1, by: 'user' } }],
    ['FLAG_VARIANTS_INVALID', { type: 'multivariant' }],
    ['FLAG_VARIANTS_INVALID', { variants: [{ key: 'a', value: 1, weight: 1 }] }],
    ['FLAG_VARIANTS_REPEATED', { type: 'multivariant', variants: twice({ key: 'a', value: 1, weight: 1 }) }],
    ['FLAG_WEIGHTS_INVALID', { type: 'multivariant', variants: [{ key: 'a', value: 1, weight: 0 }] }],
    ['FLAG_ENVIRONMENTS_INVALID', { environment: 'test', environments: [{ name: 'live', status: 'active' }] }],
    ['FLAG_ENVIRONMENTS_REPEATED', { environments: twice({ name: 'live', status: 'active' } as const) }],
    ['FLAG_ATTRIBUTE_INVALID', { rules: [{ attribute: 'email', operator: 'exists', enabled: true, and: [SHOE] }] }],
    ['FLAG_ATTRIBUTE_INVALID', { rules: [{ attribute: 'shoeSize', operator: 'exists', enabled: true }] }],
  ] as const)('is refused with %s when it is %j', (fact, settings) => {
    given().when(create(settings)).rejects(fact);
    given(created()).when(update(settings)).rejects(fact);
  });
});

const given = specify(flag);

const variant = (key: string) => ({ key, value: key, weight: 1 });

function twice<Value>(value: Value): [Value, Value] {
  return [value, value];
}

const ID = { flagId: 'flag_1', organizationId: 'org_1', websiteId: 'site_1', key: 'new-checkout' };
const DATA = { ...ID, ...plainFlag, ruleValues: null, name: 'Checkout' };

const create = (settings: Partial<FlagSettings> = {}, flagId = 'flag_1'): CreateFlag => ({
  type: 'CreateFlag',
  data: { ...DATA, ...settings, flagId },
});
const created = (settings: Partial<FlagSettings> = {}, flagId = 'flag_1'): FlagCreated => ({
  type: 'FlagCreated',
  data: { ...DATA, ...settings, flagId },
});
const update = (changes: Partial<FlagSettings>): UpdateFlag => ({
  type: 'UpdateFlag',
  data: { flagId: 'flag_1', changes },
});
const updated = (settings: Partial<FlagSettings>, before: Partial<FlagSettings>): FlagUpdated => ({
  type: 'FlagUpdated',
  data: { ...DATA, ...settings, before },
});
const remove = (): DeleteFlag => ({ type: 'DeleteFlag', data: { flagId: 'flag_1' } });
const deleted: FlagDeleted = { type: 'FlagDeleted', data: { ...ID, ...plainFlag, name: 'Checkout' } };
