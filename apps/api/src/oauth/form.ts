import { createHmac } from 'node:crypto';
import { isSameSecret } from '@ledgerline/platform/api-keys/credential';

/** The one text of a field; empty without it. */
export const textIn = (form: unknown, name: string): string => textsIn(form, name)[0] ?? '';

/** The texts of a field that a form may hold more than once. */
export function textsIn(form: unknown, name: string): readonly string[] {
  if (typeof form !== 'object' || form === null || !Object.hasOwn(form, name)) return [];
  const value = (form as Readonly<Record<string, unknown>>)[name];
  return [value].flat().filter((each): each is string => typeof each === 'string');
}

/** What a form of a session carries to show that a page of ours made it: other sites know neither cookie nor secret. */
export const formToken = (cookie: string, request: string, secret: string): string =>
  createHmac('sha256', secret).update(`form\n${cookie}\n${request}`).digest('base64url');

export const isFormToken = (token: string, cookie: string, request: string, secret: string): boolean =>
  isSameSecret(token, formToken(cookie, request, secret));
