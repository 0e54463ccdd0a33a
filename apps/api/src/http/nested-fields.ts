import { applyDecorators, type Type as Class } from '@nestjs/common';
import { Transform, Type } from 'class-transformer';
import { IsArray, IsObject, ValidateBy, ValidateNested } from 'class-validator';

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
export const AnyJson: Class = Object;

/** TRICKY: in what it takes for a boolean, class-transformer does not look at names that make it fail. */
export const AsSent = () =>
  applyDecorators(
    Type(() => Boolean),
    Transform(({ obj, key }: { obj: Readonly<Record<string, unknown>>; key: string }) => obj[key]),
    Reflect.metadata(HELD, () => AnyJson),
  );

/** The class of the objects in a field of a class; undefined for a field without objects. */
export const classHeld = (owner: Class | undefined, field: string): Class | undefined =>
  owner && (Reflect.getMetadata(HELD, owner.prototype as object, field) as (() => Class) | undefined)?.();

/** Gives a class that is made from another one the objects that its fields hold. */
export function copyNested(from: Class, to: Class, fields: readonly string[]): void {
  for (const field of fields) {
    const type: unknown = Reflect.getMetadata(HELD, from.prototype as object, field);
    if (type) Reflect.defineMetadata(HELD, type, to.prototype as object, field);
  }
}
