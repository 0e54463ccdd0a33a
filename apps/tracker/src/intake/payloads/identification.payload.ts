import type { Traits } from '@ledgerline/contracts/profiles';
import { MAX_ID, MAX_OBJECT } from '@ledgerline/contracts/intake-limits';
import { cleanId, cleanText, withoutControls } from '../../parse/text';
import { anything, itemSchema, requiredText } from './fields';
import { bad, type Payload } from './payload';
import { payloadOf } from './values';

const MAX_NAME = 256;

const check = itemSchema({
  profileId: { ...requiredText, schema: { type: 'string', maxLength: MAX_ID.profile } },
  traits: anything,
});

/** Who a visitor is. @throws BadItem */
export function readIdentification(item: unknown): Payload {
  const raw = check(item);
  const profileId = cleanId(raw.profileId, MAX_ID.profile);
  if (profileId === null) throw bad('profileId', 'must not be empty');
  return payloadOf('identify', raw, { type: 'VisitorIdentified', data: { profileId, traits: readTraits(raw.traits) } });
}

/** Flat, with clean texts. @throws BadItem over the limits */
function readTraits(raw: unknown): Traits {
  if (raw === undefined || raw === null) return {};
  if (typeof raw !== 'object' || Array.isArray(raw)) throw bad('traits', 'must be object');
  const given = Object.entries(raw as Record<string, unknown>);
  if (given.length > MAX_OBJECT.keys) throw bad('traits', `must not have more than ${MAX_OBJECT.keys} keys`);
  const traits = given.map(([name, value]) => [nameOf(name), valueOf(name, value)] as const);
  const bytes = Buffer.byteLength(JSON.stringify(traits));
  if (bytes > MAX_OBJECT.bytes) throw bad('traits', `must not be larger than ${MAX_OBJECT.bytes / 1024} KiB`);
  return Object.fromEntries(traits);
}

function nameOf(name: string): string {
  const cleaned = cleanText(name, MAX_NAME);
  if (cleaned === null) throw bad('traits', 'must not have an empty name');
  return cleaned;
}

/** An address is the same in upper and lower case. */
function valueOf(name: string, value: unknown): Traits[string] {
  if (value === null || typeof value === 'boolean') return value;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  if (typeof value !== 'string')
    throw bad(`traits.${withoutControls(name)}`, 'must be a text, number, boolean or null');
  const text = withoutControls(value).trim();
  return name === 'email' ? text.toLowerCase() : text;
}
