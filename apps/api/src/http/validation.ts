import type { FieldError } from '@ledgerline/contracts/errors/error-codes';
import { closest } from '@ledgerline/domain/query/suggestion';
import { ValidationPipe, type ValidationError } from '@nestjs/common';
import { getMetadataStorage } from 'class-validator';
import { invalid } from './problems';

/** Refuses what a DTO does not describe, naming every wrong field. */
export const validation = (): ValidationPipe =>
  new ValidationPipe({
    transform: true,
    whitelist: true,
    forbidNonWhitelisted: true,
    forbidUnknownValues: true,
    validationError: { target: true, value: false },
    exceptionFactory: (errors) => invalid(errors.flatMap((error) => fieldErrors(error))),
  });

/** A value that breaks one of these rules breaks its other rules too, which then are not reported. */
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
