import type { TagCreated, TagSettings } from '@ledgerline/contracts/events/tag.events';
import { RECORD_KINDS } from '@ledgerline/contracts/record-kinds';
import { specify } from '@test/domain/given';
import { tag, type TagCommand } from './tag.decider';

describe('a tag', () => {
  it('has a name of its own in its organization', () => {
    given(created('tag_1')).when(create('tag_2')).rejects('NAME_TAKEN');
    given(created('tag_1', { name: 'Winter' }))
      .when(create('tag_2'))
      .then(created('tag_2'));
  });

  it('is one of at most 500', () => {
    const all = Array.from({ length: RECORD_KINDS.tags.atMost }, (_, n) => created(`tag_${n}`, { name: `Tag ${n}` }));
    given(...all.slice(1))
      .when(create('tag_new'))
      .then(created('tag_new'));
    given(...all)
      .when(create('tag_new'))
      .rejects('TAGS_FULL');
  });

  it('is changed, and deleted', () => {
    given(created('tag_1'))
      .when({ type: 'UpdateTag', data: { tagId: 'tag_1', changes: { color: 'red' } } })
      .then({ type: 'TagUpdated', data: { ...created('tag_1').data, color: 'red', before: { color: 'gray' } } });
    const deletion: TagCommand = { type: 'DeleteTag', data: { tagId: 'tag_1' } };
    given(created('tag_1'))
      .when(deletion)
      .then({ type: 'TagDeleted', data: created('tag_1').data });
    given().when(deletion).rejects('TAG_NOT_FOUND');
  });
});

const given = specify(tag);

const created = (tagId: string, more: Partial<TagSettings> = {}): TagCreated => ({
  type: 'TagCreated',
  data: { tagId, organizationId: 'org_1', name: 'Spring', color: 'gray', ...more },
});

const create = (tagId: string): TagCommand => ({ type: 'CreateTag', data: created(tagId).data });
