import { type Type, applyDecorators } from '@nestjs/common';
import {
  ApiExtraModels,
  ApiOkResponse,
  ApiProperty,
  DECORATORS,
  type OpenAPIObject,
  getSchemaPath,
} from '@nestjs/swagger';
import { Id } from './fields';

/** The fields of a DTO class without the class: what is answered is plain data. */
export type PlainData<Dto> = { readonly [Field in keyof Dto]: Dto[Field] };

type Documentation = Readonly<Record<string, unknown>>;

/** Returns what `ApiProperty` was given for a field of a class; undefined for a field without it. */
export const documentationOf = (type: { readonly prototype: object }, field: string) =>
  Reflect.getMetadata(DECORATORS.API_MODEL_PROPERTIES, type.prototype, field) as Documentation | undefined;

/** The fields of a class that are documented, in their order. */
export function documentedFields(type: { readonly prototype: object }): readonly (readonly [string, Documentation])[] {
  const marked = Reflect.getMetadata(DECORATORS.API_MODEL_PROPERTIES_ARRAY, type.prototype) as readonly string[];
  const names = marked.map((name) => name.slice(1)); // each has a colon in front
  return names.map((name) => [name, documentationOf(type, name) ?? {}]);
}

/** The fields that every record shows. */
export abstract class RecordDto {
  @ApiProperty({
    description: 'Opaque: a prefix for the kind, and a ULID',
    example: 'link_01KAJ4Q7ZJ8M3V5T9X2C6D0B1E',
  })
  id: string;

  @ApiProperty({ format: 'date-time' })
  createdAt: string;

  @ApiProperty({ format: 'date-time' })
  updatedAt: string;

  @ApiProperty({ type: 'integer', description: 'Grows with each change' })
  revision: number;
}

/** A record with the secret that its command stored, unless an earlier request stored another. */
export const withSecret = <Shown extends object>(
  record: Shown,
  secret: string,
  replayed: boolean,
): Shown & { readonly secret: string | null; readonly replayed?: true } =>
  replayed ? { ...record, secret: null, replayed } : { ...record, secret };

/** The query string of a list that is one organization's. */
export class OrganizationListDto {
  @Id('The organization whose list this is')
  organizationId: string;
}

/** Everything of a list. */
export interface ListAnswer<Item> {
  readonly success: true;
  readonly data: readonly Item[];
  readonly total: number;
}

/** One page of a list; `total` counts all pages. */
export interface ListPage<Item> extends ListAnswer<Item> {
  readonly page: number;
  readonly limit: number;
}

export const listOf = <Item>(data: readonly Item[]): ListAnswer<Item> => ({ success: true, data, total: data.length });

export const listPage = <Item>(
  data: readonly Item[],
  total: number,
  { page, limit }: { page: number; limit: number },
): ListPage<Item> => ({ success: true, data, total, page, limit });

const describedWhole = (description: string) => ({ type: 'integer', description });

/** Documents a route that returns a complete list. */
export const ApiList = (item: Type<unknown>) => listed(item, {});

/** Documents a route that returns one page of a list, with further properties. */
export const ApiPage = (item: Type<unknown>, more: Schemas = {}, optional: Schemas = {}) =>
  listed(item, { page: describedWhole('From 1'), limit: describedWhole('Rows of a page'), ...more }, optional);

type Schemas = Required<NonNullable<OpenAPIObject['components']>>['schemas'];

const listed = (item: Type<unknown>, more: Schemas, optional: Schemas = {}) => {
  const properties: Schemas = {
    success: { type: 'boolean', enum: [true] },
    data: { type: 'array', items: { $ref: getSchemaPath(item) } },
    total: describedWhole('Of all pages'),
    ...more,
  };
  const schema = { type: 'object', properties: { ...properties, ...optional }, required: Object.keys(properties) };
  return applyDecorators(ApiExtraModels(item), ApiOkResponse({ schema }));
};

/** The words that JSON schemas are written with. */
export const text = { type: 'string' };
export const whole = { type: 'integer' };
export const yes = { type: 'boolean' };
export const object = (properties: Readonly<Record<string, object>>, ...optional: readonly string[]) => ({
  type: 'object',
  properties,
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
});
export const arraySchema = (items: object) => ({ type: 'array', items });

/** Any JSON but null. */
export const ANY_JSON = [
  yes,
  { type: 'number' },
  text,
  arraySchema({}),
  { type: 'object', additionalProperties: true },
];

/** Any JSON. */
export const anyJson = { anyOf: [...ANY_JSON, { type: 'null' }] };
