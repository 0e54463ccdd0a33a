import {
  type ArgumentMetadata,
  Injectable,
  type PipeTransform,
  type Type as Class,
  type ValidationError,
  applyDecorators,
} from '@nestjs/common';
import { Transform, Type, plainToInstance } from 'class-transformer';
import { IsArray, IsObject, ValidateBy, ValidateNested, getMetadataStorage, validateSync } from 'class-validator';
import { type FieldError, Problem } from '@ledgerline/contracts/errors/error-codes';
import { invalid } from './problems';
import { closest } from '@ledgerline/domain/query/suggestion';
import type { ValidationMetadata } from 'class-validator/types/metadata/ValidationMetadata';

const HELD = 'ledgerline:held';

const nested = (type: () => Class) => applyDecorators(ValidateNested(), Type(type), Reflect.metadata(HELD, type));

/** An object with the rules of its class. */
export const NestedObject = (type: () => Class) => applyDecorators(IsObject(), nested(type));

/** TRICKY: ValidateNested alone accepts empty lists in a list, and validates the items of others instead of them. */
export const NestedList = (type: () => Class, message: string) =>
  applyDecorators(
    IsArray(),
    ValidateBy({ name: 'isItem', validator: { validate: isPlain } }, { each: true, message }),
    nested(type),
  );

/** True for an object that is no list. */
export const isPlain = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** In the place of a class: JSON of any kind, whose names are the caller's own. */
const AnyJson: Class = Object;

/** TRICKY: in what it takes for a boolean, class-transformer does not look at names that make it fail. */
export const AsSent = () =>
  applyDecorators(
    Type(() => Boolean),
    Transform(({ obj, key }: { obj: Readonly<Record<string, unknown>>; key: string }) => obj[key]),
    Reflect.metadata(HELD, () => AnyJson),
  );

/** The class of the objects in a field of a class; undefined for a field without objects. */
const classHeld = (owner: Class | undefined, field: string): Class | undefined =>
  owner && (Reflect.getMetadata(HELD, owner.prototype as object, field) as (() => Class) | undefined)?.();

/** Gives a class that is made from another one the objects that its fields hold. */
export function copyNested(from: Class, to: Class, fields: readonly string[]): void {
  for (const field of fields) {
    const type: unknown = Reflect.getMetadata(HELD, from.prototype as object, field);
    if (type) Reflect.defineMetadata(HELD, type, to.prototype as object, field);
  }
}

/** Validates bodies and query strings that a route describes by a DTO. */
@Injectable()
export class DtoPipe implements PipeTransform {
  transform(sent: unknown, { metatype, type }: ArgumentMetadata): unknown {
    const isDto = type !== 'custom' && metatype !== undefined && !BUILT_IN.includes(metatype);
    return isDto ? validated(metatype as Class<object>, sent) : sent;
  }
}

const BUILT_IN: readonly unknown[] = [String, Boolean, Number, Array, Object];

const RULES = {
  whitelist: true,
  forbidNonWhitelisted: true,
  forbidUnknownValues: true,
  validationError: { target: true, value: false },
};

/** @throws Problem VALIDATION_ERROR for what the DTO does not describe, with every wrong field */
export function validated<Dto extends object>(type: Class<Dto>, sent: unknown): Dto {
  if (!isPlain(sent)) throw noObject(sent);
  const inherited = inheritedNames(sent, type);
  const dto = plainToInstance(type, inherited.length === 0 ? sent : withoutInherited(sent));
  const details = [...inherited, ...validateSync(dto, RULES).flatMap((error) => fieldErrors(error))];
  if (details.length > 0) throw invalid(details);
  return dto;
}

function noObject(sent: unknown): Problem {
  const error = `The body must be a JSON object${sent === undefined ? '; it is empty' : ''}`;
  return new Problem('VALIDATION_ERROR', error, [{ field: '', message: 'Must be a JSON object.' }]);
}

/** TRICKY: fields called like a property of every object are left out by class-transformer, or make it fail. */
function inheritedNames(value: unknown, type: Class | undefined, path = ''): FieldError[] {
  if (typeof value !== 'object' || value === null || type === AnyJson) return [];
  const isList = Array.isArray(value);
  return Object.entries(value).flatMap(([name, each]) => {
    const field = join(path, name);
    if (!isList && isInherited(name)) return [{ field, message: NOT_KNOWN }];
    return inheritedNames(each, isList ? type : classHeld(type, name), field);
  });
}

const withoutInherited = (sent: object): unknown =>
  JSON.parse(JSON.stringify(sent), (name, value: unknown) => (isInherited(name) ? undefined : value));

const isInherited = (name: string): boolean => name in Object.prototype;

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

/** What is said of a value that breaks a rule of the library, after the name of its field. */
const FAULTS: Readonly<Partial<Record<string, (value: unknown, limits: Limits) => string>>> = {
  isString: () => 'must be a text',
  isBoolean: () => 'must be true or false',
  isArray: () => 'must be a list',
  isObject: () => 'must be an object',
  isEmail: () => 'must be an email address such as ada@example.com',
  isInt: (_, limits) => numberWithin('whole number', limits),
  isNumber: (_, limits) => numberWithin('number', limits),
  isLength: (text, { isLength: [min, max] = NONE }) => lengthFault(text, min, max),
  maxLength: (text, { maxLength: [max] = NONE }) => lengthFault(text, 0, max),
  isIn: (_, { isIn: [values] = NONE }) => `must be one of ${(values as readonly unknown[]).join(', ')}`,
  arrayUnique: () => 'must not hold the same twice',
  arrayMinSize: (_, { arrayMinSize: [min] = NONE }) => `must hold at least ${counted(min, 'entry', 'entries')}`,
  arrayMaxSize: (_, { arrayMaxSize: [max] = NONE }) => `must hold at most ${counted(max, 'entry', 'entries')}`,
};

/** What is given to the rules of a field, by their names. */
type Limits = Readonly<Partial<Record<string, readonly unknown[]>>>;

const NONE: readonly unknown[] = [];

/** The words for a broken rule; undefined where the rule has a message of its own, or is none of the library. */
function faultOf(name: string, value: unknown, rules: readonly ValidationMetadata[]): string | undefined {
  const broken = rules.find((rule) => rule.name === name);
  if (!broken) return undefined;
  if (value === undefined) return 'is missing';
  const isNumber = name === 'min' || name === 'max';
  const says = FAULTS[isNumber ? (rules.some((rule) => rule.name === 'isInt') ? 'isInt' : 'isNumber') : name];
  if (!says || broken.message) return undefined;
  return says(value, Object.fromEntries(rules.map((rule) => [rule.name ?? '', rule.constraints as unknown[]])));
}

function numberWithin(number: string, { min: [min] = NONE, max: [max] = NONE }: Limits): string {
  if (min !== undefined && max !== undefined) return `must be a ${number} from ${shown(min)} to ${shown(max)}`;
  if (min !== undefined) return `must be a ${number} of at least ${shown(min)}`;
  return `must be a ${number}${max === undefined ? '' : ` of at most ${shown(max)}`}`;
}

function lengthFault(text: unknown, min: unknown, max: unknown): string {
  if (typeof text !== 'string') return 'must be a text';
  if (text === '' && min === 1) return 'must not be empty';
  return Array.from(text).length < Number(min)
    ? `must have at least ${counted(min, 'character', 'characters')}`
    : `must have at most ${counted(max, 'character', 'characters')}`;
}

const shown = (number: unknown): string => Number(number).toLocaleString('en');

const counted = (count: unknown, one: string, many: string): string => `${shown(count)} ${count === 1 ? one : many}`;
