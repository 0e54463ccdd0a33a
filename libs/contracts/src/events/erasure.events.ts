import type { Event } from './event';

export type ErasureEvent = SubjectErased;

/** The keys are destroyed: personal data that was encrypted with them cannot be read any more. */
export type SubjectErased = Event<
  'SubjectErased',
  {
    readonly organizationId: string;
    readonly erasureId: string;
    readonly subject: ErasedSubject;
    /** As the sealed parts of events name them. */
    readonly destroyedKeyIds: readonly string[];
  }
>;

export type ErasedSubject = ErasedPerson | ErasedInvitation | ErasedProfile;

export interface ErasedPerson {
  readonly userId: string;
}

/** The invited person, with or without an account. */
export interface ErasedInvitation {
  readonly invitationId: string;
}

/** The profile of a visitor: the id and traits sent to `/identify`. `profile` is the profile's random name in the log, as its id may be an address. */
export interface ErasedProfile {
  readonly websiteId: string;
  readonly profile: string;
}
