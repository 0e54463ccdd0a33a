import { MAX_LINK_TAGS } from '../events/tag.events';
import { RECORD_KINDS, type RecordKindName, type RecordKinds } from '../record-kinds';
import type { ErrorCode } from './error-codes';

/** A command a decider refuses, with the fact that forbids it, e.g. `API_KEY_REVOKED`. */
export class Rejection extends Error {
  constructor(
    readonly fact: RejectionFact,
    /** The field of the command that is wrong. */
    readonly field?: string,
  ) {
    super(fact);
    this.name = 'Rejection';
  }
}

export type RejectionFact = RecordFact | keyof typeof OTHERS;

/** The facts about each kind of record: `GOAL_EXISTS`, `GOAL_NOT_FOUND`. */
type RecordFact = `${Uppercase<RecordKinds[RecordKindName]['name']>}_${'EXISTS' | 'NOT_FOUND'}`;

/** A rejection as the caller sees it. */
interface Refusal {
  readonly code: ErrorCode;
  readonly message: string;
}

const conflict = (message: string): Refusal => ({ code: 'CONFLICT', message });
const notFound = (what: string): Refusal => ({ code: 'NOT_FOUND', message: `${what} not found` });
const invalid = (message: string): Refusal => ({ code: 'VALIDATION_ERROR', message });

const OTHERS = {
  EXPIRED: invalid('expiresAt must lie in the future.'),
  ROLE_INSUFFICIENT: { code: 'FORBIDDEN', message: 'Insufficient permissions' },

  LAST_OWNER: conflict('The last owner of an organization cannot go'),
  MEMBER_EXISTS: conflict('This person is already a member'),
  MEMBER_NOT_FOUND: notFound('Member'),
  INVITATION_EXISTS: conflict('Invitation exists'),
  INVITATION_EXPIRED: conflict('This invitation has expired'),
  INVITATION_NOT_FOUND: notFound('Invitation'),

  DOMAIN_INVALID: invalid('Must be a domain such as example.com.'),
  TIMEZONE_UNKNOWN: invalid('Must be a time zone such as Europe/Berlin.'),
  TIMEZONE_FIXED: invalid('The timezone of a website cannot change.'),

  API_KEY_REVOKED: conflict('This API key is revoked'),
  API_KEY_EMPTY: invalid('Must name a scope, here or in resources; a key that is to do nothing can be disabled.'),
  RESOURCE_INVALID: invalid('Must name "global" or "website:<id>".'),

  SCOPES_EMPTY: invalid('Must name at least one scope.'),
  WEBSITES_EMPTY: invalid('Must name at least one website, or all.'),

  SLUG_TAKEN: conflict('This slug is taken'),
  SLUG_INVALID: invalid('Must be 1 to 50 of A–Z, a–z, 0–9, _ and -, and no name of a route.'),
  ADDRESS_INVALID: invalid('Must be an http(s) address.'),

  FLAG_EXISTS: conflict('This key is taken'),
  FLAG_KEY_INVALID: invalid('Must be 1 to 100 of A–Z, a–z, 0–9, _ and -.'),
  FLAG_DEFAULT_INVALID: invalid('Must be true or false, except of a multivariant flag.'),
  FLAG_ROLLOUT_INVALID: invalid('Belongs to a flag of the type rollout, which needs it, and to no other.'),
  FLAG_VARIANTS_INVALID: invalid('Belong to a flag of the type multivariant, which needs them, and to no other.'),
  FLAG_VARIANTS_REPEATED: invalid('Must have different keys.'),
  FLAG_WEIGHTS_INVALID: invalid('Must have a weight above 0, one of them at least.'),
  FLAG_ENVIRONMENTS_INVALID: invalid('Belong to a flag of all environments, without one in environment.'),
  FLAG_ENVIRONMENTS_REPEATED: invalid('Must have different names.'),
  FLAG_ATTRIBUTE_INVALID: invalid('Must be about userId, email, organizationId, teamId or properties.<name>.'),

  NAME_TAKEN: conflict('This name is taken'),
  DEFINITIONS_FULL: conflict(`A website has at most ${RECORD_KINDS.goals.atMost} of them; delete one first`),
  LINK_TAGS_FULL: conflict(`A link has at most ${MAX_LINK_TAGS} tags; take one off first`),
  TAGS_FULL: conflict(`An organization has at most ${RECORD_KINDS.tags.atMost} tags; delete one first`),
  GOAL_VALUE_INVALID: invalid('Belongs to a condition of the kind event, as only custom events have properties.'),
  SEGMENT_EMPTY: invalid('A segment needs filters or did: without both every session is in it.'),
  VIEW_RANGE_INVALID: invalid('Must stand with an endDate that is not before it, and without a preset.'),
  ANNOTATION_TIMES_INVALID: invalid('Must be there without from and to, or these two without at.'),
  ANNOTATION_RANGE_INVALID: invalid('Must lie after from.'),
  ANNOTATION_SUBJECT_INVALID: invalid('Must be null where websiteId names a website.'),

  DESTINATIONS_FULL: conflict(
    `An organization has at most ${RECORD_KINDS.destinations.atMost} destinations; delete one first`,
  ),
  DESTINATION_SENDS_INVALID: invalid('Belongs to a webhook, as an audit stream gets every entry.'),
  MAIL_SENDS_INVALID: invalid('Must be messages of monitors and incidents: a mail takes no others.'),
  MAIL_UNWANTED: conflict('The addressee wants no mails of this destination; set another address'),

  ALERTS_FULL: conflict(`An organization has at most ${RECORD_KINDS.alerts.atMost} alerts; delete one first`),
  ALERT_SUBJECT_INVALID: invalid('Must be null where websiteId names a website, and name a link where not.'),
  ALERT_FIGURE_INVALID: invalid('Must be clicks of a link, and another figure of a website.'),
  ALERT_GOAL_INVALID: invalid('Belongs to the figure conversions, which needs it, and to no other.'),
  ALERT_SEGMENT_INVALID: invalid('Belongs to a website, as links have no sessions.'),
  ALERT_WINDOW_INVALID: invalid(
    'Must have 60 minutes or more, except for counts of events; for bounce_rate and session_duration a day or more.',
  ),
  ALERT_GRACE_INVALID: invalid('Must be 3600 or more for bounce_rate and session_duration, as sessions go on.'),
  ALERT_THRESHOLD_INVALID: invalid('Belongs to above and below, which need it, and to no other comparison.'),
  ALERT_PERCENT_INVALID: invalid('Belongs to changed, which needs it, and is below 100 with the direction down.'),
  ALERT_DIRECTION_INVALID: invalid('Belongs to changed, and to no other comparison.'),
  ALERT_MINIMUM_INVALID: invalid('Belongs to above and changed.'),
  ALERT_SILENCE_INVALID: invalid('Must not be silence for a figure that is no number of events or visitors.'),
  ALERT_QUIET_HOURS_INVALID: invalid('Must begin and end at different times.'),
  REPORTS_FULL: conflict(`An organization has at most ${RECORD_KINDS.reports.atMost} reports; delete one first`),
  REPORT_WEBSITES_EMPTY: invalid('Must name at least one website, or be null for all.'),
  REPORT_DESTINATIONS_EMPTY: invalid('Must name at least one destination.'),

  MONITORS_REPEATED: invalid('Must hold each monitor once.'),
  MONITOR_TEXT_INVALID: invalid('Belongs to a monitor with the method GET or POST, as answers to HEAD have no body.'),
  MONITOR_BODY_INVALID: invalid('Belongs to a monitor with the method POST; leave it empty for others.'),

  STATUS_PAGE_EXISTS: conflict('This slug is taken'),
  STATUS_SLUG_INVALID: invalid('Must be 3 to 50 of a–z, 0–9 and -, and begin and end with none of the latter.'),

  INCIDENT_UPDATES_TOO_LONG: conflict('This incident holds as many updates as it can; create another one'),
  MAINTENANCE_INVALID: invalid(
    'A maintenance needs the time at which it begins, and a later one at which it ends, unless it repeats; others have none.',
  ),
  REPEAT_INVALID: invalid('Belongs to the severity maintenance, in place of startsAt and endsAt, and to no other.'),
  REPEAT_WEEKDAYS_INVALID: invalid(
    'Belong to a maintenance that repeats every week, which needs one, and to no other.',
  ),
  REPEAT_WEEKDAYS_REPEATED: invalid('Must hold each weekday once.'),
  REPEAT_MONTH_DAY_INVALID: invalid(
    'Belongs to a maintenance that repeats every month, which needs it, and to no other.',
  ),
  REPEAT_TOO_LONG: invalid('Must be shorter than the time from one begin to the next.'),
  REPEAT_EMPTY: invalid('Must leave a day on which the maintenance takes place.'),
  OCCURRENCE_UNKNOWN: invalid('Must be a day on which the maintenance takes place.'),
  OCCURRENCE_OVER: conflict('This occurrence is over'),
} satisfies Readonly<Record<string, Refusal>>;

/** Why deciders refuse commands. */
export const REJECTIONS = {
  ...Object.fromEntries(
    Object.values(RECORD_KINDS).flatMap(({ name, noun }) => [
      [`${name.toUpperCase()}_EXISTS`, conflict(`${noun} exists`)],
      [`${name.toUpperCase()}_NOT_FOUND`, notFound(noun)],
    ]),
  ),
  ...OTHERS,
} as Readonly<Record<RejectionFact, Refusal>>; // two for each kind
