import type { Page } from '@ledgerline/contracts/events/observed-events';
import { MAX_ID } from '@ledgerline/contracts/intake-limits';
import { readPage } from '../../parse/page';
import { cleanText } from '../../parse/text';
import type { CommonValues } from './fields';
import { bad, type Facts, type Payload } from './payload';

/** A payload of the common fields and the facts of its own type. @throws BadItem for a time that cannot be read */
export function payloadOf(
  kind: string,
  raw: CommonValues & { readonly revision?: number | null },
  facts: Facts,
): Payload {
  const clientEventId = cleanText(raw.eventId, MAX_ID.event);
  const revision = raw.revision ?? null;
  if (revision !== null && clientEventId === null) throw bad('revision', 'needs an eventId');
  return {
    kind,
    clientEventId,
    revision,
    at: readTime(raw.timestamp),
    websiteId: cleanText(raw.websiteId, MAX_ID.website),
    anonymousId: cleanText(raw.anonymousId, MAX_ID.visitor),
    profileId: cleanText(raw.profileId, MAX_ID.profile),
    sessionId: cleanText(raw.sessionId, MAX_ID.visitor),
    recognisable: raw.anonymizeVisitorIds === false,
    facts,
  };
}

function readTime(value: CommonValues['timestamp']): number | null {
  if (value === undefined || value === null) return null;
  if (typeof value === 'number') return value;
  const at = /^\d{4}-\d{2}-\d{2}/.test(value.trim()) ? Date.parse(value.trim()) : NaN;
  if (Number.isNaN(at)) throw bad('timestamp', 'must be epoch milliseconds or an ISO 8601 time');
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
