import type { Type } from '@nestjs/common';
import { ApiProperty, OmitType, PartialType } from '@nestjs/swagger';
import { copyNested } from '../http/nested-fields';
import { RecordDto } from '../http/record.dto';

/** What a request says, as plain data; null = the default of a field that has one. */
export function changesIn<Dto extends object, Defaults extends object>(
  body: Dto,
  defaults: Defaults,
): Partial<WithDefaults<Dto, Defaults>> {
  const usual = new Map<string, unknown>(Object.entries(defaults));
  const fields = Object.entries(JSON.parse(JSON.stringify(body)) as object);
  return Object.fromEntries(fields.map(([name, value]) => [name, value ?? usual.get(name) ?? null])) as ReturnType<
    typeof changesIn<Dto, Defaults>
  >; // as the DTO has validated them
}

/** All that a new one is made of, with the defaults of what was left out. */
export const withDefaults = <Dto extends object, Defaults extends object>(
  body: Dto,
  defaults: Defaults,
): WithDefaults<Dto, Defaults> =>
  ({ ...defaults, ...changesIn(body, defaults) }) as unknown as WithDefaults<Dto, Defaults>; // TypeScript joins the types of both, and cannot replace one by the other

/** A field with a default is null only where that is the default. */
type WithDefaults<Dto, Defaults> = {
  readonly [Name in keyof Dto]-?: Name extends keyof Defaults
    ? null extends Defaults[Name]
      ? Exclude<Dto[Name], undefined>
      : NonNullable<Dto[Name]>
    : Dto[Name];
};

/** The class of a change: of all that a new one is made of, except what is fixed; what is left out stays as it is. */
export function changesOf<Dto extends object, Fixed extends keyof Dto & string>(create: Type<Dto>, ...fixed: Fixed[]) {
  const changes = PartialType(OmitType(create, fixed), { skipNullProperties: false });
  copyNested(create, changes, namesOf(create));
  return changes;
}

/** How swagger keeps what `ApiProperty` was given. */
const PROPERTY = 'swagger/apiModelProperties';

type Property = Readonly<Record<string, unknown>>;

const namesOf = (dto: Type<object>): readonly string[] =>
  (Reflect.getMetadata(`${PROPERTY}Array`, dto.prototype as object) as readonly string[]).map((name) => name.slice(1));

/** What a request is held to, which says nothing of the record. */
const RULES: ReadonlySet<string> = new Set([
  ...['minLength', 'maxLength', 'minimum', 'maximum', 'minItems', 'maxItems', 'maxProperties'],
  ...['pattern', 'default', 'example'],
]);

/**
 * The class of a record: the fields that a new one is made of, except some; each is there, and null only where it has no
 * other default.
 */
export function recordOfFields<Details extends object, Dto extends object>(
  create: Type<Dto>,
  defaults: object,
  ...hidden: readonly (keyof Dto)[]
): Type<RecordDto & Required<Pick<Details, keyof Details & keyof Dto>>> {
  class FieldsDto extends RecordDto {}
  for (const name of namesOf(create).filter((each) => !hidden.includes(each as keyof Dto))) {
    const property = Reflect.getMetadata(PROPERTY, create.prototype as object, name) as Property;
    const kept = Object.fromEntries(
      Object.entries(property).filter(([rule, value]) => !RULES.has(rule) && value !== 'uri'),
    );
    const nullable = (defaults as Property)[name] === null;
    ApiProperty({ ...kept, required: true, nullable })(FieldsDto.prototype, name);
  }
  return FieldsDto as unknown as ReturnType<typeof recordOfFields<Details, Dto>>; // its fields are those of the declaration
}
