import type { AnnotationDetails, AnnotationEvent } from './events/definition.events';
import { detailsTable, recordKind } from './record-kind';
import { RECORD_KINDS } from './record-kinds';

describe('the kinds of records', () => {
  it.each(['name', 'prefix', 'id'] as const)('have a %s each', (member) => {
    const values = Object.values(RECORD_KINDS).map((kind) => kind[member]);
    expect(new Set(values).size).toBe(values.length);
  });

  it('say what each of their events does', () => {
    recordKind<AnnotationEvent, AnnotationDetails>()({
      ...annotations,
      // @ts-expect-error: it is not said what AnnotationDeleted does
      events: { AnnotationCreated: { effect: 'creates' }, AnnotationUpdated: { effect: 'updates' } },
    });
    expect(Object.keys(RECORD_KINDS.annotations.events)).toEqual([
      'AnnotationCreated',
      'AnnotationUpdated',
      'AnnotationDeleted',
    ]);
  });
});

const annotations = {
  name: 'annotation',
  noun: 'Annotation',
  id: 'annotationId',
  prefix: 'note',
  stream: () => 'org_1-annotation-note_1',
  table: detailsTable('annotations'),
} as const;
