import { HIT } from '@ledgerline/contracts/read-models/sessions';
import { attributeDimensions } from '@ledgerline/contracts/read-models/attribute-dimensions';
import * as models from '@ledgerline/contracts/read-models/website-dimensions';
import type { Dimension } from '@ledgerline/contracts/read-models/website-dimensions';
import { NO_TEXT } from '@ledgerline/contracts/read-models/dictionary';
import { activityAround, byDay, type Activity, type Values } from '@ledgerline/domain/sessions/activity';
import { durationRange } from '@ledgerline/domain/sessions/duration-ranges';
import type { SessionHit } from '@ledgerline/domain/sessions/session-hit';
import { ATTRIBUTES, type Attribute, type Session } from '@ledgerline/domain/sessions/session';
import { distinctIntoBlocks, withEveryValue } from './into-blocks';
import { rollup, type Rollup, type RollupInput } from './rollup';

/** Attributes most sessions do not have; their dimensions hold only sessions that do. */
const OPTIONAL: ReadonlySet<Attribute> = new Set([
  'utm_source',
  'utm_medium',
  'utm_campaign',
  'utm_term',
  'utm_content',
]);

/** Dimensions of one value that a counted session has as a whole, on the day of its first page view. */
const BY_SESSION: readonly (readonly [Dimension, valueOf: (session: Session) => number])[] = [
  [models.entryPages, ({ entryPath }) => entryPath],
  [models.exitPages, ({ exitPath }) => exitPath],
  [models.sessionDurationRanges, ({ durationMs }) => durationRange(durationMs)],
];

export const DIMENSIONS: readonly Rollup[] = [
  dimension(models.topPages, pageActivity),
  ...BY_SESSION.map(([builds, valueOf]) => dimension(builds, (input) => sessionActivity(input, valueOf))),
  ...ATTRIBUTES.map((name) => dimension(attributeDimensions[name], (input) => attributeActivity(input, name))),
];

/** The visitors of a dimension by value and day, with the day they were there before. */
function dimension(builds: Dimension, activityOf: (input: RollupInput) => readonly Activity[]): Rollup {
  return rollup(
    builds,
    (input, add) => {
      const visitors = input.visitor === null ? 0 : 1;
      for (const { value, day, previousDay, pageviews, sessions } of byDay(activityOf(input), input.window)) {
        const previous_day = visitors === 0 ? -Infinity : previousDay;
        add({ website: input.website, span: 1, day, value, previous_day, visitors, pageviews, sessions });
      }
    },
    withEveryValue(builds, distinctIntoBlocks(['visitors'], { pageviews: 0, sessions: 0 })),
  );
}

function pageActivity(input: RollupInput): readonly Activity[] {
  const changing = changedValues(input, (session) => viewsOf(session).map(({ path }) => path));
  return activityAround(input, changing, ({ session, enteredDay }, emit) => {
    for (const [place, { path, at }] of viewsOf(session).entries()) {
      emit(path, input.calendar.day(at), 1, place === 0 && enteredDay !== undefined ? 1 : 0);
    }
  });
}

/** The page views of a session; those of most sessions without their hits, which may not be decoded yet. */
function viewsOf(session: Session): readonly Pick<SessionHit, 'path' | 'at'>[] {
  const { pageviews, enteredAt: at, entryPath: path } = session;
  if (pageviews === 0) return [];
  return pageviews === 1 && at !== null ? [{ path, at }] : session.hits.filter(({ kind }) => kind === HIT.view);
}

function sessionActivity(input: RollupInput, valueOf: (session: Session) => number): readonly Activity[] {
  const changing = changedValues(input, (session) => [valueOf(session)]);
  return activityAround(input, changing, ({ session, enteredDay: day }, emit) => {
    if (day !== undefined) emit(valueOf(session), day, 1, 1);
  });
}

function attributeActivity(input: RollupInput, name: Attribute): readonly Activity[] {
  const isOptional = OPTIONAL.has(name);
  const valueOf = ({ attributes }: Session) => {
    const value = attributes?.[name];
    return isOptional && value === NO_TEXT ? undefined : value;
  };
  const changing = changedValues(input, (session) => {
    const value = valueOf(session);
    return value === undefined ? [] : [value];
  });
  return activityAround(input, changing, ({ session, viewDays, enteredDay }, emit) => {
    const value = valueOf(session);
    if (value === undefined || !changing.has(value)) return;
    for (const { day, pageviews } of viewDays) emit(value, day, pageviews, day === enteredDay ? 1 : 0);
  });
}

/** Of a visitor all of whose sessions changed: looking for their values would take longer than it saves. */
const EVERY_CHANGED: Values = { size: Infinity, has: () => true };

/** The values whose rows may change: those of the sessions that were added, replaced or removed. */
export function changedValues(
  { changed, near, earlier, later }: RollupInput,
  valuesOf: (session: Session) => readonly number[],
): Values {
  const isAlone = earlier.length + later.length === 0 && near.length === changed.length;
  if (isAlone && near.every(({ session }, at) => session === changed[at])) return EVERY_CHANGED;
  const values = new Set<number>();
  for (const session of changed) for (const value of valuesOf(session)) values.add(value);
  return values;
}
