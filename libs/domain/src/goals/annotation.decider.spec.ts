import type { AnnotationCreated, AnnotationSettings } from '@ledgerline/contracts/events/definition.events';
import { specify } from '@test/domain/given';
import { annotation, plainAnnotation, type AnnotationCommand } from './annotation.decider';

describe('an annotation', () => {
  it('is created once', () => {
    given().when(create()).then(created());
    given(created()).when(create()).rejects('ANNOTATION_EXISTS');
  });

  it('is about a website, a link, or neither', () => {
    for (const about of [{}, { websiteId: 'site_1' }, { linkId: 'link_1' }])
      given().when(create(about)).then(created(about));
    given()
      .when(create({ websiteId: 'site_1', linkId: 'link_1' }))
      .rejects('ANNOTATION_SUBJECT_INVALID');
  });

  it('is about a time, or one that lasted', () => {
    given().when(create(LASTED)).then(created(LASTED));
    given(created())
      .when(update(LASTED))
      .then({ type: 'AnnotationUpdated', data: { ...DATA, ...LASTED, before: { at: NOON, from: null, to: null } } });
    for (const times of [
      { at: null },
      { from: NOON },
      { at: null, from: NOON },
      { at: null, to: NOON },
      { ...LASTED, at: NOON },
    ])
      given().when(create(times)).rejects('ANNOTATION_TIMES_INVALID');
    given()
      .when(create({ at: null, from: NOON, to: NOON }))
      .rejects('ANNOTATION_RANGE_INVALID');
    given(created())
      .when(update({ from: NOON, to: LATER }))
      .rejects('ANNOTATION_TIMES_INVALID');
  });

  it('stays without an event when an update changes nothing', () =>
    given(created())
      .when(update({ text: 'New prices' }))
      .then());

  it('is deleted for good', () => {
    given(created()).when(remove).then(deleted);
    given(created(), deleted).when(remove).rejects('ANNOTATION_NOT_FOUND');
    given(created(), deleted)
      .when(update({ text: 'Late' }))
      .rejects('ANNOTATION_NOT_FOUND');
    given(created(), deleted).when(create()).rejects('ANNOTATION_EXISTS');
  });
});

const given = specify(annotation);

const NOON = '2026-11-27T12:00:00.000Z';
const LATER = '2026-11-27T13:00:00.000Z';
const LASTED = { at: null, from: NOON, to: LATER };
const DATA = { annotationId: 'note_1', organizationId: 'org_1', ...plainAnnotation, text: 'New prices', at: NOON };

type Details = Partial<AnnotationCreated['data']>;

const create = (more: Details = {}): AnnotationCommand => ({ type: 'CreateAnnotation', data: { ...DATA, ...more } });
const created = (more: Details = {}): AnnotationCreated => ({ type: 'AnnotationCreated', data: { ...DATA, ...more } });
const update = (changes: Partial<AnnotationSettings>): AnnotationCommand => ({
  type: 'UpdateAnnotation',
  data: { changes },
});
const remove: AnnotationCommand = { type: 'DeleteAnnotation', data: {} };
const deleted = { type: 'AnnotationDeleted', data: DATA } as const;
