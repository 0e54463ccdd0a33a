import { bad, type Facts, type Payload } from './payload';
import type { CommonFields } from './schema';
import { cleanText } from './text';

/** A payload of the fields all items share and what only this one says. @throws BadItem for a time nobody can read */
export function payloadOf(kind: string, raw: CommonFields, facts: Facts): Payload {
  return {
    kind,
    clientEventId: cleanText(raw.eventId, 512),
    at: readTime(raw.timestamp),
    websiteId: cleanText(raw.websiteId, 128),
    anonymousId: cleanText(raw.anonymousId, 256),
    profileId: cleanText(raw.profileId, 128),
    sessionId: cleanText(raw.sessionId, 256),
    recognisable: raw.anonymizeVisitorIds === false,
    facts,
  };
}

function readTime(value: CommonFields['timestamp']): number | null {
  if (value === undefined || value === null) return null;
  if (typeof value === 'number') return value;
  const at = /^\d{4}-\d{2}-\d{2}/.test(value.trim()) ? Date.parse(value.trim()) : NaN;
  if (Number.isNaN(at)) throw bad('timestamp', 'must be epoch milliseconds or an ISO 8601 time');
  return at;
}
