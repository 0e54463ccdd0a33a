import type { LinkClicked, ObservedEvent } from '@ledgerline/contracts/events/observed-events';
import { engagementAnswers } from './naive-engagement-answers';
import { errorAnswers } from './naive-error-answers';
import { eventAnswers } from './naive-event-answers';
import { linkAnswers, selectClicks } from './naive-link-answers';
import { nowAnswers } from './naive-now-answers';
import type { NaiveRequest } from './naive-request';
import { select } from './naive-selection';
import { sessionAnswers } from './naive-session-answers';
import { vitalAnswers } from './naive-vital-answers';
import { websiteAnswers, type Row } from './naive-website-answers';

const ANSWERS = {
  ...websiteAnswers,
  ...eventAnswers,
  ...sessionAnswers,
  ...errorAnswers,
  ...vitalAnswers,
  ...engagementAnswers,
};

/**
 * Returns what a query type must answer about a website with these events; undefined for a type the oracle does not
 * know.
 */
export function expectedAboutWebsite(
  name: string,
  naive: NaiveRequest,
  events: readonly ObservedEvent[],
): Row[] | undefined {
  const known = events.filter((event) => isWebsiteEvent(event));
  if (nowAnswers[name]) return nowAnswers[name](known, naive);
  const selection = select(known, naive);
  return ANSWERS[name]?.(selection, naive, known);
}

/** Returns the rows about a link with these clicks. */
export const expectedAboutLink = (
  name: string,
  naive: NaiveRequest,
  clicks: readonly LinkClicked[],
): Row[] | undefined => linkAnswers[name]?.(selectClicks(clicks, naive), naive);

type WebsiteEvent = Parameters<typeof select>[0][number];
const isWebsiteEvent = (event: ObservedEvent): event is WebsiteEvent =>
  !['LinkClicked', 'HitJudgedBot', 'VisitorIdentified'].includes(event.type);
