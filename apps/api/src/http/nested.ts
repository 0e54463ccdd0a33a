import { type Type as Class, applyDecorators } from '@nestjs/common';
import { Transform, Type, plainToInstance } from 'class-transformer';
import {
  IsArray,
  IsObject,
  ValidateBy,
  ValidateIf,
  ValidateNested,
  getMetadataStorage,
  type ValidationArguments,
} from 'class-validator';
import type { ValidationMetadata } from 'class-validator/types/metadata/ValidationMetadata';

/** The class of an object in a field, by that object and the one that has the field, both as they were sent. */
type ClassHeld = (value: object, holder: object) => Class<object>;

/** Names of rules that say what a field holds: rules, as classes that are made from others have their rules. */
const HOLDS = 'holds';
const AS_SENT = 'asSent';

interface NestedOptions {
  readonly classHeld?: ClassHeld;
  /** Returns what a text stands for in the place of an object. */
  readonly fromText?: (text: string) => unknown;
}

type AnyObject = Readonly<Record<string, unknown>>;

/** TRICKY: what class-transformer takes for a boolean it leaves to the transformation of the field. */
const asSent = (transform: (value: unknown, holder: AnyObject) => unknown) =>
  applyDecorators(
    Type(() => Boolean),
    Transform(({ obj, key }: { obj: AnyObject; key: string }) => transform(obj[key], obj)),
  );

function nested(classHeld: ClassHeld, fromText: NestedOptions['fromText'] = (text) => text) {
  const made = (value: unknown, holder: object): unknown => {
    if (typeof value === 'string') return fromText(value);
    return isPlain(value) ? plainToInstance(classHeld(value, holder), value) : value;
  };
  return applyDecorators(
    ValidateNested(),
    asSent((value, holder) =>
      Array.isArray(value) ? value.map((each: unknown) => made(each, holder)) : made(value, holder),
    ),
    ValidateBy({ name: HOLDS, constraints: [classHeld], validator: { validate: () => true } }),
  );
}

/** An object with the rules of its class. */
export const NestedObject = (type: () => Class<object>, { fromText }: Pick<NestedOptions, 'fromText'> = {}) =>
  applyDecorators(IsObject(), nested(type, fromText));

/** TRICKY: ValidateNested alone accepts empty lists in a list, and validates the items of others instead of them. */
export const NestedList = (
  type: () => Class<object>,
  message: string,
  { classHeld = type, fromText }: NestedOptions = {},
) =>
  applyDecorators(
    IsArray(),
    ValidateBy({ name: 'isItem', validator: { validate: isPlain } }, { each: true, message }),
    nested(classHeld, fromText),
  );

/** True for an object that is no list. */
export const isPlain = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** JSON of any kind, whose names are the caller's own. */
export const AsSent = () =>
  applyDecorators(
    asSent((value) => value),
    ValidateBy({ name: AS_SENT, validator: { validate: () => true } }),
  );

/** As `ArrayMaxSize`, for fields that are no list, or not always. */
export const MaxEntries = (max: number, message: string) =>
  ValidateBy(
    { name: 'maxEntries', constraints: [max], validator: { validate: (value) => countEntries(value) <= max } },
    {
      message,
    },
  );

/** A rule that may depend on the other fields of its object; `wrong` returns what is said after the name of the field. */
export function fieldRule<Dto extends object>(
  name: string,
  wrong: (value: unknown, holder: Dto) => string | undefined,
) {
  const wrongIn = (field?: ValidationArguments) => wrong(field?.value, field?.object as Dto);
  const validator = {
    validate: (_: unknown, field?: ValidationArguments) => wrongIn(field) === undefined,
    defaultMessage: (field?: ValidationArguments) => `$property ${wrongIn(field) ?? ''}`,
  };
  return ValidateBy({ name, validator });
}

/** Counts the entries of a list or an object; nothing else has any. */
function countEntries(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return Array.isArray(value) ? value.length : Object.keys(value).length;
}

/** A field of a DTO as its rules declare it. */
export interface DeclaredField {
  readonly name: string;
  readonly rules: readonly ValidationMetadata[];
  /** The rules that bound how much it holds: entries, or bytes of JSON. */
  readonly limits: readonly ValidationMetadata[];
  /** Undefined for one that may also be something else. */
  readonly isList: boolean | undefined;
  /** JSON of any kind. */
  readonly isAsSent: boolean;
  /** Undefined for a field without objects. */
  readonly holds: ClassHeld | undefined;
}

const LIMITS: ReadonlySet<string | undefined> = new Set(['arrayMaxSize', 'maxEntries', 'isShort']);

/** TRICKY: for each object that it validates, class-validator looks through the rules of all classes. */
const storage = getMetadataStorage();
const readRules = storage.getTargetValidationMetadatas.bind(storage);
const rulesOf = new WeakMap<object, ValidationMetadata[]>();
storage.getTargetValidationMetadatas = (type, schema: string | null, ...options) => {
  if (schema === null) return readRules(type, '', ...options); // for a class that is made from this one, while it is declared
  const rules = rulesOf.get(type) ?? readRules(type, schema, ...options);
  rulesOf.set(type, rules);
  return rules;
};

const known = new WeakMap<object, ReadonlyMap<string, DeclaredField>>();

/** The fields of a class by their names. */
export function dtoFields(type: Class): ReadonlyMap<string, DeclaredField> {
  const fields = known.get(type) ?? declaredFields(type);
  known.set(type, fields);
  return fields;
}

function declaredFields(type: Class): ReadonlyMap<string, DeclaredField> {
  const all = storage.getTargetValidationMetadatas(type, '', false, false);
  const names = [...new Set(all.map(({ propertyName }) => propertyName))];
  return new Map(
    names.map((name) => [
      name,
      declaredField(
        name,
        all.filter((rule) => rule.propertyName === name),
      ),
    ]),
  );
}

function declaredField(name: string, rules: readonly ValidationMetadata[]): DeclaredField {
  const ruleNamed = (wanted: string) => rules.find((rule) => rule.name === wanted);
  const isAsSent = ruleNamed(AS_SENT) !== undefined;
  const isAnything = isAsSent || ruleNamed('maxEntries') !== undefined;
  return {
    name,
    rules,
    limits: rules.filter((rule) => LIMITS.has(rule.name)),
    isList: ruleNamed('arrayMaxSize') ? true : isAnything ? undefined : false,
    isAsSent,
    holds: ruleNamed(HOLDS)?.constraints[0] as ClassHeld | undefined,
  };
}

/** May be left out, but not null. */
export const MayBeAbsent = () => ValidateIf((_: unknown, value: unknown) => value !== undefined);

/** Returns what the rules of a field are given. */
export const argumentsOf = ({ constraints, propertyName }: ValidationMetadata, object: object) => ({
  constraints: constraints as unknown[],
  property: propertyName,
  object,
  targetName: object.constructor.name,
});

/** Returns whether a value breaks a rule for it. */
export const isBroken = (rule: ValidationMetadata, value: unknown, holder: object): boolean =>
  constraintsOf(rule).some(
    ({ instance }) => instance.validate(value, { ...argumentsOf(rule, holder), value }) !== true,
  );

export const constraintsOf = ({ constraintCls }: ValidationMetadata) =>
  storage.getTargetValidatorConstraints(constraintCls);
