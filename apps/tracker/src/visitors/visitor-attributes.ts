import type { Agent, Place, VisitorAttributes } from '@ledgerline/contracts/events/observed-events';

export const UNKNOWN_PLACE: Place = { country: null, region: null, city: null };
export const UNKNOWN_AGENT: Agent = { browser: null, browserVersion: null, os: null, device: 'other' };

/** Adds what is known of a visitor to the data of an event. Assigned one by one: spreading costs many times as much. */
export function withVisitorAttributes<Data extends object>(
  data: Data,
  place: Place,
  agent: Agent,
): Data & VisitorAttributes {
  const target = data as Data & { -readonly [Name in keyof VisitorAttributes]: VisitorAttributes[Name] };
  target.country = place.country;
  target.region = place.region;
  target.city = place.city;
  target.browser = agent.browser;
  target.browserVersion = agent.browserVersion;
  target.os = agent.os;
  target.device = agent.device;
  return target;
}
