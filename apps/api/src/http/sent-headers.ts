import { applyDecorators } from '@nestjs/common';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional } from 'class-validator';
import { AsSent, fieldRule, isPlain } from './nested';

/** Headers that are sent elsewhere, with their values by name. */
export type HeaderValues = Readonly<Record<string, string>>;

const MAX_VALUE_LENGTH = 1_000;
const NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/;
const VALUE = /^[\x20-\x7e]*$/;

/** The headers that a request sets itself, or that belong to the connection. */
const RESERVED = new Set([
  ...['accept-encoding', 'connection', 'content-length', 'expect', 'host', 'keep-alive', 'proxy-authorization'],
  ...['proxy-connection', 'te', 'trailer', 'transfer-encoding', 'upgrade'],
]);

/** Returns what is wrong with headers by name, the first fault; undefined if nothing is. */
function wrongInHeaders(value: unknown, most: number, reserved: RegExp | undefined): string | undefined {
  if (!isPlain(value)) return 'must be an object of texts by the names of headers';
  const headers = Object.entries(value);
  if (headers.length > most) return `must hold at most ${most} headers`;
  for (const header of headers) {
    const wrong = wrongInHeader(header, reserved);
    if (wrong !== undefined) return wrong;
  }
  const names = headers.map(([name]) => name.toLowerCase());
  return new Set(names).size < names.length ? 'must hold each header once' : undefined;
}

function wrongInHeader([name, text]: [string, unknown], reserved: RegExp | undefined): string | undefined {
  if (!NAME.test(name)) return 'must have names of headers';
  if (RESERVED.has(name.toLowerCase()) || reserved?.test(name))
    return `must not hold ${name}, which the request sets itself`;
  return typeof text === 'string' && text.length <= MAX_VALUE_LENGTH && VALUE.test(text)
    ? undefined
    : `must hold a text of at most ${MAX_VALUE_LENGTH} ASCII characters for ${name}`;
}

/** Headers of a request that is sent elsewhere, by name; some are `reserved` beside those that no request may state. */
export const SentHeaders = (description: string, most: number, reserved?: RegExp) =>
  applyDecorators(
    ApiPropertyOptional({
      type: 'object',
      additionalProperties: { type: 'string', maxLength: MAX_VALUE_LENGTH },
      maxProperties: most,
      nullable: true,
      description,
      example: { authorization: 'Bearer token' },
    }),
    IsOptional(),
    AsSent(),
    fieldRule('areHeaders', (value) => wrongInHeaders(value, most, reserved)),
  );
