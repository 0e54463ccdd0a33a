import { applyDecorators, type Type } from '@nestjs/common';
import { ApiExtraModels, ApiOkResponse, getSchemaPath } from '@nestjs/swagger';

const whole = (description: string) => ({ type: 'integer', description });

/** Documents a route that answers everything of a list. */
export const ApiList = (item: Type<unknown>) => listed(item, {});

/** Documents a route that answers one page of a list. */
export const ApiPage = (item: Type<unknown>) => listed(item, { page: whole('From 1'), limit: whole('Rows of a page') });

const listed = (item: Type<unknown>, more: Readonly<Record<string, ReturnType<typeof whole>>>) => {
  const properties = {
    success: { type: 'boolean', enum: [true] },
    data: { type: 'array', items: { $ref: getSchemaPath(item) } },
    total: whole('Of all pages'),
    ...more,
  };
  const schema = { type: 'object', properties, required: Object.keys(properties) };
  return applyDecorators(ApiExtraModels(item), ApiOkResponse({ schema }));
};
