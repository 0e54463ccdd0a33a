import type { FieldError } from '@ledgerline/contracts/errors/error-codes';
import { closest } from '@ledgerline/domain/query/suggestion';
import type { ValidationError } from '@nestjs/common';
import { getMetadataStorage } from 'class-validator';

/** A value that breaks one of these breaks its other rules too, which then say nothing more. */
const FIRST = ['isString', 'isInt', 'isBoolean', 'isArray', 'isObject', 'isSlug', 'isInstant'];

/** Every wrong field with the way to it: `parameters[1].limit`. */
export function fieldErrors(error: ValidationError, path = ''): FieldError[] {
  const field = join(path, error.property);
  const own = brokenRules(error).map(([rule, message]) =>
    rule === 'whitelistValidation' ? unknownField(error, field) : { field, message: sentence(message) },
  );
  return [...own, ...(error.children ?? []).flatMap((child) => fieldErrors(child, field))];
}

function brokenRules({ constraints = {} }: ValidationError): (readonly [rule: string, message: string])[] {
  const first = FIRST.map((rule) => [rule, constraints[rule]] as const).find(([, message]) => message !== undefined);
  return first?.[1] === undefined ? Object.entries(constraints) : [[first[0], first[1]]];
}

function join(path: string, property: string): string {
  if (/^\d+$/.test(property)) return `${path}[${property}]`;
  return path === '' ? property : `${path}.${property}`;
}

function unknownField({ property, target }: ValidationError, field: string): FieldError {
  const known = target ? getMetadataStorage().getTargetValidationMetadatas(target.constructor, '', false, false) : [];
  const suggestion = closest(property, [...new Set(known.map(({ propertyName }) => propertyName))]);
  return { field, message: 'Is not a known field.', ...(suggestion === undefined ? {} : { suggestion }) };
}

const sentence = (message: string): string => `${message.charAt(0).toUpperCase()}${message.slice(1)}.`;
