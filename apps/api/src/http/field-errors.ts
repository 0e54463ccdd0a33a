import type { FieldError } from '@ledgerline/contracts/errors/error-codes';
import { closest } from '@ledgerline/domain/query/suggestion';
import type { ValidationError } from '@nestjs/common';
import { getMetadataStorage } from 'class-validator';
import type { ValidationMetadata } from 'class-validator/types/metadata/ValidationMetadata';
import { faultOf } from './rule-faults';

/** A value that breaks one of these rules breaks its other rules too, which then are not reported. */
const FIRST = ['isString', 'isInt', 'isBoolean', 'isArray', 'isObject', 'isSlug', 'isInstant', 'isEmail'];

/** Every wrong field with the way to it, `parameters[1].limit` or `scopes[1]`, and one sentence about it. */
export function fieldErrors(error: ValidationError, path = ''): FieldError[] {
  const field = join(path, error.property);
  const items = wrongItems(error);
  const ofItems = new Set(items.flatMap(({ broken }) => Object.keys(broken)));
  const ofField = Object.entries(error.constraints ?? {}).filter(([rule]) => !ofItems.has(rule));
  const own = firstBroken(Object.fromEntries(ofField)).map(([rule, message]) =>
    rule === 'whitelistValidation'
      ? unknownField(error, field)
      : { field, message: sentence(messageOf(error, rule, message), error.property) },
  );
  const inside = items.flatMap(({ index, value, broken }) =>
    firstBroken(broken).map(([rule, message]) => ({
      field: `${field}[${index}]`,
      message: sentence(faultOf(rule, value, rulesOfField(error, true)) ?? withoutEach(message)),
    })),
  );
  return [...own, ...inside, ...childrenOf(error, items).flatMap((child) => fieldErrors(child, field))];
}

function messageOf(error: ValidationError, rule: string, message: string): string {
  const fault = faultOf(rule, valueOf(error), rulesOfField(error, false));
  return fault === undefined ? message : `${error.property} ${fault}`;
}

/** The errors within a value, unless the value itself, or this item of it, is of another type. */
function childrenOf({ constraints = {}, children = [] }: ValidationError, items: readonly WrongItem[]) {
  if (constraints['isArray'] !== undefined || constraints['isObject'] !== undefined) return [];
  return children.filter(({ property }) => !items.some(({ index }) => String(index) === property));
}

type Broken = Readonly<Record<string, string>>;

interface WrongItem {
  readonly index: number;
  readonly value: unknown;
  readonly broken: Broken;
}

/** At most one. */
function firstBroken(broken: Broken): (readonly [rule: string, message: string])[] {
  const rules = Object.entries(broken);
  const first = FIRST.map((name) => rules.find(([rule]) => rule === name)).find((rule) => rule !== undefined);
  return first ? [first] : rules.slice(0, 1);
}

/** The items of a list that break a rule for each of them; the library only reports that some do. */
function wrongItems(error: ValidationError): WrongItem[] {
  const { target, constraints = {} } = error;
  const list = valueOf(error);
  if (!target || !Array.isArray(list)) return [];
  const rules = rulesOfField(error, true);
  const isBrokenBy = (rule: ValidationMetadata, value: unknown) =>
    getMetadataStorage()
      .getTargetValidatorConstraints(rule.constraintCls)
      .filter(({ name }) => constraints[name] !== undefined)
      .filter(({ instance }) => instance.validate(value, { ...argumentsOf(rule, target), value }) !== true)
      .map(({ name }) => [name, constraints[name] ?? ''] as const);
  return list
    .map((value: unknown, index) => ({
      index,
      value,
      broken: Object.fromEntries(rules.flatMap((rule) => isBrokenBy(rule, value))),
    }))
    .filter(({ broken }) => Object.keys(broken).length > 0);
}

const rulesOf = (target: object): readonly ValidationMetadata[] =>
  getMetadataStorage().getTargetValidationMetadatas(target.constructor, '', false, false);

/** The rules of a field itself, or of each of its items. */
const rulesOfField = ({ target, property }: ValidationError, each: boolean): readonly ValidationMetadata[] =>
  target ? rulesOf(target).filter((rule) => rule.propertyName === property && !rule.each === !each) : [];

const valueOf = ({ target, property }: ValidationError): unknown =>
  (target as Readonly<Record<string, unknown>> | undefined)?.[property];

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
