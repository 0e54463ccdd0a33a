import { readPage } from '../../parse/page';
import { bad, type Payload } from './payload';
import { readProperties } from './properties';
import { itemSchema, payloadOf, text } from './schema';
import { cleanText } from '../../parse/text';

interface CustomEvent {
  readonly name: string;
  readonly namespace?: string | null;
  readonly path?: string | null;
  readonly source?: string | null;
  readonly properties?: unknown;
}

const check = itemSchema<CustomEvent>({ name: { type: 'string' }, namespace: text, path: text, source: text }, [
  'name',
]);

/** Something a website's own code reports. @throws BadItem */
export function readCustomEvent(item: unknown): Payload {
  const raw = check(item);
  const name = cleanText(raw.name, 256);
  if (name === null) throw bad('name', 'must not be empty');
  const path = cleanText(raw.path, 2048);
  const data = {
    name,
    namespace: cleanText(raw.namespace, 256),
    path: path === null ? null : (readPage(path)?.path ?? null),
    properties: readProperties(raw.properties),
    profileId: cleanText(raw.profileId, 128),
    source: cleanText(raw.source, 256),
  };
  return payloadOf(name, raw, { type: 'CustomEventTracked', data });
}
