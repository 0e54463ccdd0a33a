import type { Page } from '@ledgerline/contracts/events/observed-events';
import { MAX_ID } from '@ledgerline/contracts/intake-limits';
import { parseInstant } from '@ledgerline/domain/time/instant';
import { readPage } from '../../parse/page';
import { cleanId, cleanText } from '../../parse/text';
import type { CommonValues } from './fields';
import { bad, type Facts, type Payload } from './payload';

/** Of a JavaScript date, epoch ms. */
const MAX_TIME = 8.64e15;

/** A payload of the common fields and the facts of its own type. @throws BadItem for a time that cannot be read */
export function payloadOf(
  kind: string,
  raw: CommonValues & { readonly revision?: number | null },
  facts: Facts,
): Payload {
  const clientEventId = cleanId(raw.eventId, MAX_ID.event);
  const revision = raw.revision ?? null;
  if (revision !== null && clientEventId === null) throw bad('revision', 'needs an eventId');
  return {
    kind,
    clientEventId,
    revision,
    at: readTime(raw.timestamp),
    websiteId: cleanId(raw.websiteId, MAX_ID.website),
    anonymousId: cleanId(raw.anonymousId, MAX_ID.visitor),
    profileId: cleanId(raw.profileId, MAX_ID.profile),
    sessionId: cleanId(raw.sessionId, MAX_ID.visitor),
    recognisable: raw.anonymizeVisitorIds === false,
    facts,
  };
}

function readTime(value: CommonValues['timestamp']): number | null {
  if (value === undefined || value === null) return null;
  const at = typeof value === 'number' ? value : parseInstant(value.trim());
  if (at === undefined || Math.abs(at) > MAX_TIME)
    throw bad('timestamp', 'must be epoch milliseconds or an ISO 8601 time that exists');
  return at;
}

/** @throws BadItem */
export function requiredPage(path: string): Page {
  const page = readPage(cleanText(path, 2048) ?? '/');
  if (page === null) throw bad('path', 'must be an http(s) URL or a pathname');
  return page;
}

/** null for none, and for what is no path. */
export function optionalPath(path: string | null | undefined): string | null {
  const cleaned = cleanText(path, 2048);
  return cleaned === null ? null : (readPage(cleaned)?.path ?? null);
}

/** Clamped to what is possible; null for what is unknown or negative. */
export const within = (value: number | null | undefined, max: number): number | null =>
  value === null || value === undefined || value < 0 ? null : Math.min(value, max);

export function wholeWithin(value: number | null | undefined, max: number): number | null {
  const clamped = within(value, max);
  return clamped === null ? null : Math.round(clamped);
}
