import { Problem, type FieldError } from '@ledgerline/contracts/errors/error-codes';
import { Injectable, type ArgumentMetadata, type PipeTransform, type Type } from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { fieldErrors, join, NOT_KNOWN } from './field-errors';
import { AnyJson, classHeld, isPlain } from './nested';
import { invalid } from './problems';

/** Validates bodies and query strings that a route describes by a DTO. */
@Injectable()
export class DtoPipe implements PipeTransform {
  transform(sent: unknown, { metatype, type }: ArgumentMetadata): unknown {
    const isDto = type !== 'custom' && metatype !== undefined && !BUILT_IN.includes(metatype);
    return isDto ? validated(metatype as Type<object>, sent) : sent;
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
export function validated<Dto extends object>(type: Type<Dto>, sent: unknown): Dto {
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
function inheritedNames(value: unknown, type: Type | undefined, path = ''): FieldError[] {
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
