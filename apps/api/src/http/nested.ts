import { applyDecorators } from '@nestjs/common';
import { Type } from 'class-transformer';
import { IsArray, IsObject, ValidateBy, ValidateNested } from 'class-validator';
import { isPlain } from './validation';

type Class = Parameters<typeof Type>[0];

/** An object with the rules of its class. */
export const NestedObject = (type: Class) => applyDecorators(IsObject(), ValidateNested(), Type(type));

/** TRICKY: ValidateNested alone accepts empty lists in a list, and validates the items of others instead of them. */
export const NestedList = (type: Class, message: string) =>
  applyDecorators(
    IsArray(),
    ValidateBy({ name: 'isItem', validator: { validate: isPlain } }, { each: true, message }),
    ValidateNested({ each: true }),
    Type(type),
  );
