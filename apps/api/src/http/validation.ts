import { type ArgumentMetadata, Injectable, type PipeTransform, type Type as Class } from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { Problem } from '@ledgerline/contracts/errors/error-codes';
import { type Bounds, ObjectsLeft, boundedObject } from './bounded';
import { isPlain } from './nested';
import { invalid } from './problems';
import { WrongFields } from './wrong-fields';

/** Validates bodies and query strings that a route describes by a DTO. */
@Injectable()
export class DtoPipe implements PipeTransform {
  transform(sent: unknown, { metatype, type }: ArgumentMetadata): unknown {
    const isDto = type !== 'custom' && metatype !== undefined && !BUILT_IN.includes(metatype);
    return isDto ? validated(metatype as Class<object>, sent) : sent;
  }
}

/** Validates what a route takes by a DTO that the type of its parameter does not name. */
export class PipeOf implements PipeTransform {
  constructor(private readonly dto: Class<object>) {}

  transform(sent: unknown): object {
    return validated(this.dto, sent);
  }
}

const BUILT_IN: readonly unknown[] = [String, Boolean, Number, Array, Object];

const RULES = { forbidUnknownValues: true, validationError: { target: true, value: false } };

/** @throws Problem VALIDATION_ERROR for what the DTO does not describe, with every wrong field */
export function validated<Dto extends object>(
  type: Class<Dto>,
  sent: unknown,
  { left = new ObjectsLeft(), ...options }: Partial<Omit<Bounds, 'wrong'>> = {},
): Dto {
  if (!isPlain(sent)) throw noObject(sent);
  const wrong = new WrongFields();
  const dto = plainToInstance(type, boundedObject(sent, type, { wrong, left, ...options }));
  for (const error of validateSync(dto, RULES)) wrong.addFound(error);
  if (wrong.count > 0) throw invalid(wrong.listed, wrong.count);
  return dto;
}

function noObject(sent: unknown): Problem {
  const error = `The body must be a JSON object${sent === undefined ? '; it is empty' : ''}`;
  return new Problem('VALIDATION_ERROR', error, [{ field: '', message: 'Must be a JSON object.' }]);
}
