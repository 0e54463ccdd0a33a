import type { topPages } from '@ledgerline/contracts/read-models/website-dimensions';
import { byDay, type Presence } from '@ledgerline/domain/sessions/presence';
import type { Attribute } from '@ledgerline/domain/sessions/session';
import { countedByValue, countedInBlocks } from './blocks';
import { rollup, type Rollup, type WebsiteUnit } from '../rollup';

/** The rows of a dimension: who was there on which day of which value, and when before. */
export const dimension = (builds: typeof topPages, presencesOf: (unit: WebsiteUnit) => readonly Presence[]): Rollup =>
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

/** A dimension of an attribute, which a session's first page view lends to all of its page views. */
export const byAttribute = (builds: typeof topPages, attribute: Attribute): Rollup =>
  dimension(builds, ({ stays }) => attributePresences(stays, attribute));

/** The same for attributes most sessions do not have, and whose lists hold only sessions that do. */
export const byKnownAttribute = (builds: typeof topPages, attribute: Attribute): Rollup =>
  dimension(builds, ({ stays }) =>
    attributePresences(
      stays.filter(({ session }) => session.attributes?.[attribute]),
      attribute,
    ),
  );

function attributePresences(stays: WebsiteUnit['stays'], attribute: Attribute): Presence[] {
  const presences: Presence[] = [];
  for (const { session, enteredDay, viewDays } of stays) {
    if (session.attributes === undefined) continue;
    const value = session.attributes[attribute];
    for (const { day, pageviews } of viewDays) {
      presences.push({ value, day, pageviews, sessions: day === enteredDay ? 1 : 0 });
    }
  }
  return presences;
}
