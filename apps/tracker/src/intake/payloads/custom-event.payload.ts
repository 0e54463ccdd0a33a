import { cleanText } from '../../parse/text';
import { anything, itemSchema, requiredText, text } from './fields';
import { bad, type Payload } from './payload';
import { readProperties } from './properties';
import { optionalPath, payloadOf } from './values';

const check = itemSchema({ name: requiredText, namespace: text, path: text, source: text, properties: anything });

/** An event that a website's own code reports. @throws BadItem */
export function readCustomEvent(item: unknown): Payload {
  const raw = check(item);
  const name = cleanText(raw.name, 256);
  if (name === null) throw bad('name', 'must not be empty');
  const data = {
    name,
    namespace: cleanText(raw.namespace, 256),
    path: optionalPath(raw.path),
    properties: readProperties(raw.properties),
    source: cleanText(raw.source, 256),
  };
  return payloadOf(name, raw, { type: 'CustomEventTracked', data });
}
