import type { Event } from './event';

export type ErasureEvent = SubjectErased;

/** Recorded after the keys were destroyed: personal data that was encrypted with them cannot be read any more. */
export type SubjectErased = Event<
  'SubjectErased',
  {
    readonly organizationId: string;
    readonly erasureId: string;
    readonly subject: ErasedSubject;
    /** Named by the sealed parts of events. */
    readonly destroyedKeyIds: readonly string[];
  }
>;

export interface ErasedSubject {
  readonly userId: string;
}
