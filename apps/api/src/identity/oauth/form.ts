import { createHmac } from 'node:crypto';
import type { ApiBodyOptions, ApiResponseOptions } from '@nestjs/swagger';
import { isObject } from '@ledgerline/contracts/json';
import { isSameSecret } from '@ledgerline/platform/api-keys/secret-store';

/** The one text of a field; empty without it. */
export const formText = (form: unknown, name: string): string => formFieldTexts(form, name)[0] ?? '';

/** The texts of a field that a form may hold more than once. */
export function formFieldTexts(form: unknown, name: string): readonly string[] {
  if (!isObject(form) || !Object.hasOwn(form, name)) return [];
  return [form[name]].flat().filter((each): each is string => typeof each === 'string');
}

/**
 * Returns what a form of a session carries to show that a page of ours made it: other sites know neither cookie nor
 * secret.
 */
export const formToken = (cookie: string, request: string, secret: string): string =>
  createHmac('sha256', secret).update(`form\n${cookie}\n${request}`).digest('base64url');

export const isFormToken = (token: string, cookie: string, request: string, secret: string): boolean =>
  isSameSecret(token, formToken(cookie, request, secret));

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
