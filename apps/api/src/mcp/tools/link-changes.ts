import { applyDecorators } from '@nestjs/common';
import type { Link } from '@ledgerline/contracts/records';
import { ApiPropertyOptional, getSchemaPath } from '@nestjs/swagger';
import { IsBoolean, IsInt, IsOptional, Min } from 'class-validator';
import { object, text, yes } from '../../http/json-schema';
import { LinkDto } from '../../links/link.dto';
import type { ToolContext } from '../tool';

/** Of a tool that changes something. */
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

export const Revision = () =>
  applyDecorators(
    ApiPropertyOptional({
      type: 'integer',
      minimum: 0,
      description: 'The revision of the link as it was looked at; the call fails if it has changed since',
    }),
    IsOptional(),
    IsInt(),
    Min(0),
  );

/** What every tool that changes a link answers. */
export const LINK_CHANGE = object({
  done: { ...yes, description: 'False = this is a preview, and nothing was changed' },
  link: {
    oneOf: [{ $ref: getSchemaPath(LinkDto) }, { type: 'null' }],
    description: 'The link as it is now, or was until it was deleted; null before it is created',
  },
  changes: {
    type: 'object',
    description: 'By field',
    additionalProperties: object({ before: {}, after: {} }),
  },
  note: text,
});

type Fields = Readonly<Record<string, unknown>>;
type Changes = Readonly<Record<string, { readonly before: unknown; readonly after: unknown }>>;

/** The fields that would be, or were, different. */
export const changedFields = (before: Link | null, after: Fields): Changes => {
  const held: Fields = { ...before };
  const changed = Object.entries(after).filter(([name, value]) => value !== (held[name] ?? null));
  return Object.fromEntries(changed.map(([name, value]) => [name, { before: held[name] ?? null, after: value }]));
};

export const PREVIEW = { done: false, note: 'Nothing was changed. Call again with confirm: true to do it.' };

/** The context of a command whose revision a tool's arguments name. */
export const atRevision = ({ command }: ToolContext, revision: number | undefined): ToolContext['command'] => ({
  ...command,
  expectedRevision: revision,
});
