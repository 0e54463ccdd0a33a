import { recordChanges } from './record-changes';

/** Figures of segments are asked again, too. */
export const {
  useCreate: useCreateSegment,
  useUpdate: useChangeSegment,
  useDelete: useDeleteSegment,
} = recordChanges('/v1/segments', 'segments', 'figures');
