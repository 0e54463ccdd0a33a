import { isDeepStrictEqual } from 'node:util';
import { applyDecorators, type Type } from '@nestjs/common';
import { ApiPropertyOptional, getSchemaPath } from '@nestjs/swagger';
import { IsBoolean, IsInt, IsOptional, Min } from 'class-validator';
import { Id, Text } from '../http/fields';
import { object, text, yes } from '../http/record.dto';
import type { ToolContext } from './tool';

/** The website of a tool about something that an id names already. */
export const OfWebsite = () => Id('The website that it is of; any other one is an error', { optional: true });

/** The confirmation of a tool that changes something. */
export const Confirm = () =>
  applyDecorators(
    ApiPropertyOptional({
      type: 'boolean',
      default: false,
      description: 'True = do it; otherwise it is only previewed',
    }),
    IsOptional(),
    IsBoolean(),
  );

export const Revision = (noun: string) =>
  applyDecorators(
    ApiPropertyOptional({
      type: 'integer',
      minimum: 0,
      description: `The revision of the ${noun} as it was looked at; the call fails if it has changed since`,
    }),
    IsOptional(),
    IsInt(),
    Min(0),
  );

export const IdempotencyKey = (noun: string) =>
  Text(1, 255, {
    description: `Of your choice: a repeated call with the same key and arguments creates no second ${noun}`,
    optional: true,
  });

/** The schema of what every tool that changes something of a kind answers; `previewed` is in previews alone. */
export const changeSchema = (
  noun: string,
  record: Type<object>,
  field = noun,
  previewed: Readonly<Record<string, object>> = {},
) =>
  object(
    {
      done: { ...yes, description: 'False = this is a preview, and nothing was changed' },
      [field]: {
        oneOf: [{ $ref: getSchemaPath(record) }, { type: 'null' }],
        description: `The ${noun} as it is now, or was until it was deleted; null before it is created`,
      },
      changes: {
        type: 'object',
        description: 'By field',
        additionalProperties: object({ before: {}, after: {} }),
      },
      note: text,
      ...previewed,
    },
    ...Object.keys(previewed),
  );

type Fields = Readonly<Record<string, unknown>>;
type Changes = Readonly<Record<string, { readonly before: unknown; readonly after: unknown }>>;

/** The fields that would be, or were, different. */
export const changedFields = (before: object | null, after: Fields): Changes => {
  const held: Fields = { ...before };
  const changed = Object.entries(after).filter(([name, value]) => !isDeepStrictEqual(value, held[name] ?? null));
  return Object.fromEntries(changed.map(([name, value]) => [name, { before: held[name] ?? null, after: value }]));
};

export const PREVIEW = { done: false, note: 'Nothing was changed. Call again with confirm: true to do it.' };

/** The context of a command whose revision a tool's arguments name. */
export const atRevision = ({ command }: ToolContext, revision: number | undefined): ToolContext['command'] => ({
  ...command,
  expectedRevision: revision,
});
