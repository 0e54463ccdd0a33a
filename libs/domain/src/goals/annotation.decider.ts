import { Rejection } from '@ledgerline/contracts/errors/rejection';
import type {
  AnnotationCreated,
  AnnotationDetails,
  AnnotationEvent,
  AnnotationSettings,
} from '@ledgerline/contracts/events/definition.events';
import { type RecordLifecycle, requireExisting, type Command, applyChanges, decider, omit } from '../decider';

export type AnnotationCommand = CreateAnnotation | UpdateAnnotation | DeleteAnnotation;
type CreateAnnotation = Command<'CreateAnnotation', AnnotationCreated['data']>;
type UpdateAnnotation = Command<'UpdateAnnotation', { changes: Partial<AnnotationSettings> }>;
type DeleteAnnotation = Command<'DeleteAnnotation', object>;

/** The defaults of an annotation, beside its text and time. */
export const plainAnnotation = { websiteId: null, linkId: null, kind: null, at: null, from: null, to: null } as const;

type Annotation = RecordLifecycle<AnnotationCreated['data']>;

export const annotation = decider<Annotation, AnnotationCommand, AnnotationEvent>({
  initial: { status: 'absent' },

  decide: {
    CreateAnnotation({ status }, data) {
      if (status !== 'absent') throw new Rejection('ANNOTATION_EXISTS');
      assertValid(data);
      return [{ type: 'AnnotationCreated', data }];
    },
    UpdateAnnotation(state, { changes }) {
      const data = applyChanges(requireExisting(state, 'ANNOTATION_NOT_FOUND'), changes);
      if (!data) return [];
      assertValid(data);
      return [{ type: 'AnnotationUpdated', data }];
    },
    DeleteAnnotation: (state) => [{ type: 'AnnotationDeleted', data: requireExisting(state, 'ANNOTATION_NOT_FOUND') }],
  },

  evolve: {
    AnnotationCreated: (_, details) => ({ status: 'present', details }),
    AnnotationUpdated: (_, data) => ({ status: 'present', details: omit(data, 'before') }),
    AnnotationDeleted: () => ({ status: 'deleted' }),
  },
});

function assertValid({ websiteId, linkId, at, from, to }: AnnotationDetails): void {
  if (websiteId !== null && linkId !== null) throw new Rejection('ANNOTATION_SUBJECT_INVALID', 'linkId');
  const lasts = from !== null && to !== null;
  if (at === null ? !lasts : from !== null || to !== null) throw new Rejection('ANNOTATION_TIMES_INVALID', 'at');
  if (lasts && Date.parse(to) <= Date.parse(from)) throw new Rejection('ANNOTATION_RANGE_INVALID', 'to');
}
