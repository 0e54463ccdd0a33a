import { key, last, max, readModel } from './read-model';

/**
 * The person a visitor said to be, by the latest identification. Profile ids and traits are sealed with the key that
 * the table
 * `profile_keys` has for the subject; without that row they are unreadable.
 */
export const visitorProfiles = readModel('visitor_profiles', {
  website: key('integer'),
  visitor: key('uuid'),
  subject: last('uuid', 'identified'),
  /** Sealed. */
  profile_id: last('text', 'identified'),
  /** ISO time and event id of the identification, as one sortable text. */
  identified: max('text'),
});

/** One row per trait of a profile, as it was set last. */
export const profileTraits = readModel('profile_traits', {
  website: key('integer'),
  subject: key('uuid'),
  trait: key('text'),
  /** Sealed; null = removed. */
  value: last('text?', 'identified'),
  identified: max('text'),
});

/** The traits that a website knows of a person beside the profile id: flat; null removes a trait. */
export type Traits = Readonly<Record<string, string | number | boolean | null>>;

/** The traits by which people are shown, the first that is there. */
export const NAMING_TRAITS = ['name', 'username', 'email'] as const;
