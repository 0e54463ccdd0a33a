import { ValidationPipe, type ValidationError } from '@nestjs/common';
import type { FieldError } from '@ledgerline/contracts/errors/error-codes';
import { getMetadataStorage } from 'class-validator';
import { closest, distance } from 'fastest-levenshtein';
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

function fieldErrors(error: ValidationError, path = ''): FieldError[] {
  const field = path + error.property;
  const own = Object.entries(error.constraints ?? {}).map(([rule, message]): FieldError => {
    if (rule !== 'whitelistValidation') return { field, message };
    const suggestion = suggestionFor(error);
    return { field, message: `${error.property} is not a known field`, ...(suggestion ? { suggestion } : {}) };
  });
  return [...own, ...(error.children ?? []).flatMap((child) => fieldErrors(child, `${field}.`))];
}

/** The known field somebody probably meant. */
function suggestionFor({ property, target }: ValidationError): string | undefined {
  if (!target) return undefined;
  const rules = getMetadataStorage().getTargetValidationMetadatas(target.constructor, '', false, false);
  const known = [...new Set(rules.map(({ propertyName }) => propertyName))];
  if (known.length === 0) return undefined;
  const nearest = closest(property, known);
  return distance(property, nearest) <= Math.max(2, property.length / 3) ? nearest : undefined;
}
