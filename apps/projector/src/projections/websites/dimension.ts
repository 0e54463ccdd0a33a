import type { Dimension } from '@ledgerline/contracts/read-models/website-dimensions';
import { NO_WORD } from '@ledgerline/contracts/read-models/words';
import { presencesAround } from '@ledgerline/domain/sessions/around';
import { byDay, type Presence } from '@ledgerline/domain/sessions/presence';
import type { Attribute, Session } from '@ledgerline/domain/sessions/session';
import { countedByValue, countedInBlocks } from './spread-in-blocks';
import { rollup, type Rollup, type WebsiteUnit } from '../rollup';

/** The rows of a dimension: who was there on which day of which value, and when before. */
export const dimension = (builds: Dimension, presencesOf: (unit: WebsiteUnit) => readonly Presence[]): Rollup =>
  rollup(
    builds,
    (unit, add) => {
      const visitors = unit.visitor === null ? 0 : 1;
      for (const { value, day, previousDay, pageviews, sessions } of byDay(presencesOf(unit), unit.window)) {
        const previous_day = visitors === 0 ? -Infinity : previousDay;
        add({ website: unit.website, span: 1, day, value, previous_day, visitors, pageviews, sessions });
      }
    },
    countedByValue(builds, VISITORS_IN_BLOCKS),
  );

const VISITORS_IN_BLOCKS = countedInBlocks('visitors', ['pageviews', 'sessions']);

/** A dimension of one value a counted session has as a whole, on the day of its first page view. */
export const bySession = (builds: Dimension, valueOf: (session: Session) => number): Rollup =>
  dimension(builds, (unit) => {
    const changing = valuesOf(unit, (session) => [valueOf(session)]);
    return presencesAround(unit, changing, ({ session, enteredDay: day }, tell) => {
      if (day !== undefined) tell(valueOf(session), day, 1, 1);
    });
  });

/** The values about which anything can change: those of the sessions that came or went. */
export function valuesOf(
  { changed }: WebsiteUnit,
  of: (session: Session) => readonly number[] | undefined,
): Set<number> {
  const values = new Set<number>();
  for (const session of changed) for (const value of of(session) ?? []) values.add(value);
  return values;
}

/** A dimension of an attribute, which a session's first page view lends to all of its page views. */
export const byAttribute = (builds: Dimension, attribute: Attribute): Rollup =>
  dimension(builds, (unit) => attributePresences(unit, attribute));

/** The same for attributes most sessions do not have, and whose lists hold only sessions that do. */
export const byKnownAttribute = (builds: Dimension, attribute: Attribute): Rollup =>
  dimension(builds, (unit) => attributePresences(unit, attribute, NO_WORD));

function attributePresences(unit: WebsiteUnit, attribute: Attribute, except?: number): readonly Presence[] {
  const changing = valuesOf(unit, ({ attributes }) => attributes && [attributes[attribute]]);
  if (except !== undefined) changing.delete(except);
  return presencesAround(unit, changing, (stay, tell) => {
    const value = stay.session.attributes?.[attribute];
    if (value === undefined || !changing.has(value)) return;
    for (const { day, pageviews } of stay.viewDays) tell(value, day, pageviews, day === stay.enteredDay ? 1 : 0);
  });
}
