import type { FieldError } from '@ledgerline/contracts/errors/error-codes';
import { closest } from '@ledgerline/domain/query/suggestion';
import type { ValidationError } from '@nestjs/common';
import { getMetadataStorage } from 'class-validator';
import type { ValidationMetadata } from 'class-validator/types/metadata/ValidationMetadata';

/** A value that breaks one of these rules breaks its other rules too, which then are not reported. */
const FIRST = ['isString', 'isInt', 'isBoolean', 'isArray', 'isObject', 'isSlug', 'isInstant', 'isEmail'];

/** Every wrong field with the way to it: `parameters[1].limit`, `scopes[1]`. */
export function fieldErrors(error: ValidationError, path = ''): FieldError[] {
  const field = join(path, error.property);
  const items = wrongItems(error);
  const ofItems = new Set(items.flatMap(({ broken }) => Object.keys(broken)));
  const ofField = Object.entries(error.constraints ?? {}).filter(([rule]) => !ofItems.has(rule));
  const own = brokenRules(Object.fromEntries(ofField)).map(([rule, message]) =>
    rule === 'whitelistValidation' ? unknownField(error, field) : { field, message: sentence(message, error.property) },
  );
  const inside = items.flatMap(({ index, broken }) =>
    brokenRules(broken).map(([, message]) => ({
      field: `${field}[${index}]`,
      message: sentence(withoutEach(message)),
    })),
  );
  return [...own, ...inside, ...childrenOf(error, items).flatMap((child) => fieldErrors(child, field))];
}

/** The errors within a value, unless the value itself, or this item of it, is of another type. */
function childrenOf({ constraints = {}, children = [] }: ValidationError, items: readonly WrongItem[]) {
  if (constraints['isArray'] !== undefined || constraints['isObject'] !== undefined) return [];
  return children.filter(({ property }) => !items.some(({ index }) => String(index) === property));
}

type Broken = Readonly<Record<string, string>>;

interface WrongItem {
  readonly index: number;
  readonly broken: Broken;
}

function brokenRules(broken: Broken): (readonly [rule: string, message: string])[] {
  const first = FIRST.map((rule) => [rule, broken[rule]] as const).find(([, message]) => message !== undefined);
  return first?.[1] === undefined ? Object.entries(broken) : [[first[0], first[1]]];
}

/** The items of a list that break a rule for each of them; the library only reports that some do. */
function wrongItems({ target, property, constraints = {} }: ValidationError): WrongItem[] {
  const list: unknown = (target as Readonly<Record<string, unknown>> | undefined)?.[property];
  if (!target || !Array.isArray(list)) return [];
  const rules = rulesOf(target).filter(({ each, propertyName }) => each && propertyName === property);
  const isBrokenBy = (rule: ValidationMetadata, value: unknown) =>
    getMetadataStorage()
      .getTargetValidatorConstraints(rule.constraintCls)
      .filter(({ name }) => constraints[name] !== undefined)
      .filter(({ instance }) => instance.validate(value, { ...argumentsOf(rule, target), value }) !== true)
      .map(({ name }) => [name, constraints[name] ?? ''] as const);
  return list
    .map((value: unknown, index) => ({
      index,
      broken: Object.fromEntries(rules.flatMap((rule) => isBrokenBy(rule, value))),
    }))
    .filter(({ broken }) => Object.keys(broken).length > 0);
}

const rulesOf = (target: object): readonly ValidationMetadata[] =>
  getMetadataStorage().getTargetValidationMetadatas(target.constructor, '', false, false);

const argumentsOf = ({ constraints, propertyName }: ValidationMetadata, object: object) => ({
  constraints: constraints as unknown[],
  property: propertyName,
  object,
  targetName: object.constructor.name,
});

const withoutEach = (message: string): string => message.replace(/^each value in \S+ /, '');

/** The way to a field, by the way to the object that holds it. */
export function join(path: string, property: string): string {
  if (/^\d+$/.test(property)) return `${path}[${property}]`;
  return path === '' ? property : `${path}.${property}`;
}

function unknownField({ property, target }: ValidationError, field: string): FieldError {
  const known = target ? rulesOf(target) : [];
  const suggestion = closest(property, [...new Set(known.map(({ propertyName }) => propertyName))]);
  return { field, message: NOT_KNOWN, ...(suggestion === undefined ? {} : { suggestion }) };
}

export const NOT_KNOWN = 'Is not a known field.';

/** Begins with a capital letter, unless it begins with the name of the field. */
export const sentence = (message: string, field?: string): string =>
  field !== undefined && message.startsWith(`${field} `)
    ? `${message}.`
    : `${message.charAt(0).toUpperCase()}${message.slice(1)}.`;
