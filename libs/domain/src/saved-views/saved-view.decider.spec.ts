import type { SavedViewCreated, SavedViewSettings } from '@ledgerline/contracts/events/saved-view.events';
import { specify } from '@test/domain/given';
import { plainView, savedView, type SavedViewCommand } from './saved-view.decider';

const OF = { organizationId: 'org_1', websiteId: 'site_1', ownerId: null };
const DAYS = { startDate: '2026-11-01', endDate: '2026-11-30' };

describe('a saved view', () => {
  it('has a name of its own among those of its website that are not private', () => {
    given(created('view_1')).when(create('view_2')).rejects('NAME_TAKEN');
    given(created('view_1', { name: 'Other' }))
      .when(create('view_2'))
      .then(created('view_2'));
    given(sealed('view_1')).when(create('view_2')).then(created('view_2'));
    given(created('view_1'), sealed('view_2'))
      .when({ type: 'CreateSavedView', data: sealed('view_3').data })
      .then(sealed('view_3'));
  });

  it('is of a named range, of two days or of neither', () => {
    given().when(create('view_1', DAYS)).then(created('view_1', DAYS));
    given()
      .when(create('view_1', { preset: 'last_7d' }))
      .then(created('view_1', { preset: 'last_7d' }));
    for (const wrong of [
      { ...DAYS, preset: 'last_7d' },
      { startDate: DAYS.startDate },
      { endDate: DAYS.endDate },
      { startDate: DAYS.endDate, endDate: DAYS.startDate },
    ])
      given().when(create('view_1', wrong)).rejects('VIEW_RANGE_INVALID');
    given(created('view_1', DAYS))
      .when(update({ preset: 'last_7d' }))
      .rejects('VIEW_RANGE_INVALID');
  });

  it('is changed, and keeps what its fields held before', () =>
    given(created('view_1'))
      .when(update({ compare: 'none' }))
      .then({
        type: 'SavedViewUpdated',
        data: { ...created('view_1').data, compare: 'none', before: { compare: null } },
      }));
});

const given = specify(savedView);

const created = (savedViewId: string, more: Partial<SavedViewSettings> = {}): SavedViewCreated => ({
  type: 'SavedViewCreated',
  data: { savedViewId, ...OF, ...plainView, name: 'Campaign', sealed: null, ...more },
});

const sealed = (savedViewId: string): SavedViewCreated => {
  const { data } = created(savedViewId, { name: null, filters: null, sealed: 'encrypted' });
  return { type: 'SavedViewCreated', data: { ...data, ownerId: 'usr_1' } };
};

const create = (savedViewId: string, more: Partial<SavedViewSettings> = {}): SavedViewCommand => ({
  type: 'CreateSavedView',
  data: created(savedViewId, more).data,
});

const update = (changes: Partial<SavedViewSettings>): SavedViewCommand => ({
  type: 'UpdateSavedView',
  data: { savedViewId: 'view_1', changes },
});
