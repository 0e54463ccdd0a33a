import type { Json, JsonObject } from '@ledgerline/contracts/json';
import { MAX_OBJECT } from '@ledgerline/contracts/intake-limits';
import { bad } from './payload';
import { withoutControls } from '../../parse/text';

const MAX_DEPTH = 16;

/** The properties of an event, with clean texts; null for none. @throws BadItem over the limits */
export function readProperties(raw: unknown): JsonObject | null {
  if (raw === undefined || raw === null) return null;
  if (typeof raw !== 'object' || Array.isArray(raw)) throw bad('properties', 'must be object');
  if (Object.keys(raw).length > MAX_OBJECT.keys)
    throw bad('properties', `must not have more than ${MAX_OBJECT.keys} keys`);
  const properties = cleanObject(raw, 1, 'properties');
  const bytes = Buffer.byteLength(JSON.stringify(properties));
  if (bytes > MAX_OBJECT.bytes) throw bad('properties', `must not be larger than ${MAX_OBJECT.bytes / 1024} KiB`);
  return Object.keys(properties).length === 0 ? null : properties;
}

function cleanObject(raw: object, depth: number, path: string): JsonObject {
  if (depth > MAX_DEPTH) throw bad('properties', `must not be nested deeper than ${MAX_DEPTH}`);
  const entries = Object.entries(raw).map(
    ([name, value]) => [withoutControls(name), cleanJson(value, depth, `${path}.${name}`)] as const,
  );
  return Object.fromEntries(entries);
}

function cleanJson(value: unknown, depth: number, path: string): Json {
  if (typeof value === 'string') return withoutControls(value);
  if (typeof value === 'number' && !Number.isFinite(value)) throw bad(withoutControls(path), 'must be a finite number');
  if (typeof value === 'number' || typeof value === 'boolean') return value;
  if (typeof value !== 'object' || value === null) return null;
  return Array.isArray(value) ? cleanList(value, depth + 1, path) : cleanObject(value, depth + 1, path);
}

function cleanList(raw: readonly unknown[], depth: number, path: string): readonly Json[] {
  if (depth > MAX_DEPTH) throw bad('properties', `must not be nested deeper than ${MAX_DEPTH}`);
  return raw.map((value, index) => cleanJson(value, depth, `${path}[${index}]`));
}
