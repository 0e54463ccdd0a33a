import { Problem, type FieldError } from '@ledgerline/contracts/errors/error-codes';
import { closest } from '@ledgerline/domain/query/suggestion';
import { getMetadataStorage, type ValidationError } from 'class-validator';

export const invalidRequest = (details: readonly FieldError[]): Problem =>
  new Problem('VALIDATION_ERROR', 'The request is not valid', details);

/** Every wrong field with the way to it: `parameters[1].limit`. */
export function fieldErrors(error: ValidationError, path = ''): FieldError[] {
  const field = join(path, error.property);
  const own = Object.entries(error.constraints ?? {}).map(([rule, message]) =>
    rule === 'whitelistValidation' ? unknownField(error, field) : { field, message: sentence(message) },
  );
  return [...own, ...(error.children ?? []).flatMap((child) => fieldErrors(child, field))];
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
