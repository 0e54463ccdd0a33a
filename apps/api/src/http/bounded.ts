import type { Type as Class } from '@nestjs/common';
import { type DeclaredField, dtoFields, isBroken, isPlain } from './nested';
import { invalid } from './problems';
import type { WrongFields } from './wrong-fields';

/** Objects of all that a request holds, among them those in lists; other items of lists are so many times cheaper. */
const MAX_OBJECTS = 1_200;
const ITEMS_OF_OBJECT = 20;
/** In UTF-16 units; more than any field takes, so of a longer text the beginning is as wrong. */
const MAX_TEXT = 16_384;

/** Counts how many objects are left to a request, whose bodies may be several. */
export class ObjectsLeft {
  private count = MAX_OBJECTS;

  /** @throws Problem VALIDATION_ERROR */
  take(count: number): void {
    this.count -= count;
    const message = `Must hold at most ${MAX_OBJECTS.toLocaleString('en')} objects in all.`;
    if (this.count < 0) throw invalid([{ field: '', message }]);
  }
}

export interface Bounds {
  readonly wrong: WrongFields;
  readonly left: ObjectsLeft;
  /** A field that is null is a field that was not sent. */
  readonly omitsNull?: boolean;
  /** But these of the request itself, which null empties. */
  readonly clears?: readonly string[];
}

/**
 * Returns what was sent for an object of a class, as much as its fields declare: what they do not is added to the wrong
 * fields and left out. TRICKY: class-transformer and class-validator make and judge every part of a body, whatever its
 * limits, and compare every name of an object with every other one.
 */
export function boundedObject(sent: object, type: Class, bounds: Bounds, path = ''): object {
  bounds.left.take(1);
  const fields = dtoFields(type);
  const kept: Record<string, unknown> = {};
  const entries: readonly (readonly [string, unknown])[] = Object.entries(sent);
  for (const [name, value] of entries) {
    const field = fields.get(name);
    if (!field) bounds.wrong.addUnknown(path, name, fields.keys());
    else if (value !== null || !bounds.omitsNull || (path === '' && bounds.clears?.includes(name)))
      kept[name] = boundedValue(value, field, sent, bounds, path === '' ? name : `${path}.${name}`);
  }
  return kept;
}

function boundedValue(value: unknown, field: DeclaredField, holder: object, bounds: Bounds, path: string): unknown {
  if (typeof value === 'string') return value.slice(0, MAX_TEXT);
  if (typeof value !== 'object' || value === null) return value;
  const nothing = Array.isArray(value) ? [] : {};
  // what is no list where one is declared, or the other way round, is refused by the rules of its field
  if (field.isList !== undefined && field.isList !== Array.isArray(value)) return nothing;
  const limit = field.limits.find((each) => isBroken(each, value, holder));
  if (limit) {
    bounds.wrong.addLimit(path, field, limit, holder);
    return nothing;
  }
  if (field.isAsSent) return value;
  if (!Array.isArray(value)) return boundedPart(value, field, holder, bounds, path);
  bounds.left.take(value.length / ITEMS_OF_OBJECT);
  return value.map((each: unknown, at) => boundedPart(each, field, holder, bounds, `${path}[${at}]`));
}

function boundedPart(part: unknown, field: DeclaredField, holder: object, bounds: Bounds, path: string): unknown {
  if (typeof part === 'string') {
    if (field.holds) bounds.left.take(1); // it stands for an object
    return part.slice(0, MAX_TEXT);
  }
  if (typeof part !== 'object' || part === null) return part;
  const type = isPlain(part) ? field.holds?.(part, holder) : undefined;
  return type ? boundedObject(part, type, bounds, path) : Array.isArray(part) ? [] : {};
}
