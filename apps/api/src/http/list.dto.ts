import { applyDecorators, type Type } from '@nestjs/common';
import { ApiExtraModels, ApiOkResponse, getSchemaPath, type OpenAPIObject } from '@nestjs/swagger';
import { Id } from './fields';

/** The query string of a list that is one organization's. */
export class OrganizationListDto {
  @Id('The organization whose list this is')
  organizationId: string;
}

/** Everything of a list. */
export interface List<Item> {
  readonly success: true;
  readonly data: readonly Item[];
  readonly total: number;
}

/** One page of a list; `total` counts all pages. */
export interface Page<Item> extends List<Item> {
  readonly page: number;
  readonly limit: number;
}

export const listOf = <Item>(data: readonly Item[]): List<Item> => ({ success: true, data, total: data.length });

export const pageOf = <Item>(
  data: readonly Item[],
  total: number,
  { page, limit }: { page: number; limit: number },
): Page<Item> => ({ success: true, data, total, page, limit });

const whole = (description: string) => ({ type: 'integer', description });

/** Documents a route that returns a complete list. */
export const ApiList = (item: Type<unknown>) => listed(item, {});

/** Documents a route that returns one page of a list, with further properties. */
export const ApiPage = (item: Type<unknown>, more: Schemas = {}, optional: Schemas = {}) =>
  listed(item, { page: whole('From 1'), limit: whole('Rows of a page'), ...more }, optional);

type Schemas = Required<NonNullable<OpenAPIObject['components']>>['schemas'];

const listed = (item: Type<unknown>, more: Schemas, optional: Schemas = {}) => {
  const properties: Schemas = {
    success: { type: 'boolean', enum: [true] },
    data: { type: 'array', items: { $ref: getSchemaPath(item) } },
    total: whole('Of all pages'),
    ...more,
  };
  const schema = { type: 'object', properties: { ...properties, ...optional }, required: Object.keys(properties) };
  return applyDecorators(ApiExtraModels(item), ApiOkResponse({ schema }));
};
