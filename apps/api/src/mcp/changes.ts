import { type Entry, type ResourceType, withDefaults } from '../resources/resource';
import { isDeepStrictEqual } from 'node:util';
import { applyDecorators, type Type } from '@nestjs/common';
import { ApiPropertyOptional, getSchemaPath } from '@nestjs/swagger';
import { IsBoolean, IsInt, IsOptional, Min } from 'class-validator';
import { Text } from '../http/fields';
import { object, text, yes } from '../http/record.dto';
import type { Action } from '@ledgerline/domain/access/caller';
import { PreviewRecord } from '../resources/resource.queries';
import { CreateRecord } from '../resources/resource.commands';
import { organizationOf, PREVIEWED, tool, type Tool, type ToolContext } from './tool';

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

/** The schema of what every tool that changes something of a kind answers. */
export const changeSchema = (noun: string, record: Type<object>) =>
  object({
    done: { ...yes, description: 'False = this is a preview, and nothing was changed' },
    [noun]: {
      oneOf: [{ $ref: getSchemaPath(record) }, { type: 'null' }],
      description: `The ${noun} as it is now, or was until it was deleted; null before it is created`,
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

/** The arguments of a tool that creates something, beside what it is made of. */
interface Creating {
  readonly confirm?: boolean;
  readonly idempotencyKey?: string;
}

interface Creation<Of extends Entry, Dto extends object, Input extends Creating> extends Pick<
  Tool,
  'title' | 'description'
> {
  /** `goal` of `create_goal`. */
  readonly noun: string;
  readonly action: Action;
  readonly resource: ResourceType<Of, Dto>;
  readonly record: Type<object>;
  readonly input: Type<Input>;
  /** Of the resource. */
  readonly defaults: object;
}

/** A tool that creates an entry of a resource whose decisions store nothing by themselves. */
export const creationTool = <Of extends Entry, Dto extends object, Input extends Creating>({
  noun,
  resource,
  record,
  description,
  defaults,
  ...described
}: Creation<Of, Dto, Input>): Tool =>
  tool({
    ...described,
    name: `create_${noun}`,
    description: `${description} ${PREVIEWED}`,
    effect: 'create',
    output: changeSchema(noun, record),
    answer: async ({ confirm = false, idempotencyKey, ...details }, { caller, command, commands, queries }) => {
      const body = { organizationId: organizationOf(caller), ...details };
      const changes = changedFields(null, withDefaults(details, defaults));
      if (!confirm) {
        await queries.execute(new PreviewRecord(resource, null, body, command));
        return { ...PREVIEW, [noun]: null, changes };
      }
      const sent = new CreateRecord(resource, body, { ...command, idempotencyKey });
      const { entry, replayed } = await commands.execute(sent);
      const note = replayed ? `This idempotencyKey had created the ${noun} before.` : `The ${noun} was created.`;
      return { done: true, [noun]: entry, changes, note };
    },
  });
