import type { ApiBodyOptions, ApiResponseOptions } from '@nestjs/swagger';

const text = { type: 'string' } as const;

/** A page for people, beside the error body that programs get. */
export const PAGE = (status: number, description: string): ApiResponseOptions => ({
  status,
  description,
  content: {
    'text/html': { schema: text },
    ...(status >= 400 ? { 'application/json': { schema: { $ref: '#/components/schemas/Problem' } } } : {}),
  },
});

export const REDIRECT: ApiResponseOptions = {
  status: 303,
  description: 'To the next page, or back to the client with `code` or `error`',
  headers: { Location: { schema: { type: 'string' } } },
};

export const FORM = 'application/x-www-form-urlencoded';

/** A form with these fields; more are ignored. */
export const formBody = (fields: Readonly<Record<string, string>>, required: readonly string[]): ApiBodyOptions => {
  const properties = Object.entries(fields).map(([name, description]) => [name, { ...text, description }] as const);
  const schema = { type: 'object', properties: Object.fromEntries(properties), required: [...required] };
  return { schema, required: true };
};
