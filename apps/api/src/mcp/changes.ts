import { changesIn, type Entry, type ResourceType, withDefaults } from '../resources/resource';
import { isDeepStrictEqual } from 'node:util';
import { applyDecorators, type Type } from '@nestjs/common';
import { ApiPropertyOptional, getSchemaPath } from '@nestjs/swagger';
import { IsBoolean, IsInt, IsOptional, Min } from 'class-validator';
import { Id, Text } from '../http/fields';
import { object, text, yes } from '../http/record.dto';
import type { Action } from '@ledgerline/domain/access/caller';
import { omit } from '@ledgerline/domain/decider';
import { FindRecord, PreviewRecord } from '../resources/resource.queries';
import { assertCurrentRevision } from '../commands/command-runner';
import { ChangeRecord, CreateRecord } from '../resources/resource.commands';
import { organizationOf, PREVIEWED, tool, type Tool, type ToolContext } from './tool';

/** Of a tool about something that an id names already. */
export const OfWebsite = () => Id('The website that it is of; any other one is an error', { optional: true });

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

/** What a tool takes that changes or deletes something of a website, beside its id and fields. */
export class ChangeInput {
  @OfWebsite()
  websiteId?: string;

  @Confirm()
  confirm?: boolean;

  @Revision('record')
  revision?: number;
}

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

/** What tools are about that change things of one kind. */
interface Kind<Of extends Entry, Dto extends object> {
  /** `goal` of `create_goal`. */
  readonly noun: string;
  readonly action: Action;
  readonly resource: ResourceType<Of, Dto>;
  readonly record: Type<object>;
  /** Of the resource. */
  readonly defaults: object;
}

interface Creation<Input extends Creating> extends Pick<Tool, 'title' | 'description'> {
  readonly input: Type<Input>;
}

/** A tool that creates an entry of a resource whose decisions store nothing by themselves. */
export const creationTool = <Of extends Entry, Dto extends object, Input extends Creating>(
  { noun, action, resource, record, defaults }: Kind<Of, Dto>,
  { description, ...described }: Creation<Input>,
): Tool =>
  tool({
    ...described,
    name: `create_${noun}`,
    description: `${description} ${PREVIEWED}`,
    action,
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

/** A record with what every tool shows of it. */
type Shown = object & { readonly name: string; readonly revision: number };

/** `goalId` of a tool about a goal, which its input has. */
const idIn = (input: object, noun: string): string => (input as Readonly<Record<string, string>>)[`${noun}Id`] ?? '';

interface Change<Input extends object> extends Pick<Tool, 'description'> {
  readonly input: Type<Input>;
  readonly clears?: readonly (keyof Input & string)[];
}

/** A tool that changes the given fields of one of a kind. */
export const changeTool = <Of extends Entry, Dto extends Shown, Input extends ChangeInput>(
  { noun, action, resource, record, defaults }: Kind<Of, Dto>,
  { description, ...described }: Change<Input>,
): Tool =>
  tool<Input>({
    ...described,
    name: `update_${noun}`,
    title: `Change a ${noun}`,
    description: `Changes the fields that are given and leaves the others as they are. ${description} ${PREVIEWED}`,
    action,
    effect: 'change',
    output: changeSchema(noun, record),
    answer: async (input, context) => {
      const { websiteId, confirm = false, revision } = input;
      const id = idIn(input, noun);
      const settings = omit(input as Fields, `${noun}Id`, 'websiteId', 'confirm', 'revision');
      const { caller, commands, queries } = context;
      const before = await queries.execute(new FindRecord(resource, id, caller, true, websiteId));
      const changes = changedFields(before, changesIn(settings, defaults));
      const isSame = Object.keys(changes).length === 0;
      const command = atRevision(context, revision);
      if (!confirm) {
        await queries.execute(new PreviewRecord(resource, id, settings, command));
        const note = isSame ? `Nothing would change: the ${noun} has these values already.` : PREVIEW.note;
        return { ...PREVIEW, [noun]: before, changes, note };
      }
      const { entry } = await commands.execute(new ChangeRecord(resource, id, settings, command));
      const note = isSame ? `Nothing was changed: the ${noun} had these values already.` : `The ${noun} was changed.`;
      return { done: true, [noun]: entry, changes, note };
    },
  });

/** A tool that deletes one of a kind. */
export const deletionTool = <Of extends Entry, Dto extends Shown, Input extends ChangeInput>(
  { noun, action, resource, record }: Kind<Of, Dto>,
  { description, input: type }: Change<Input>,
): Tool =>
  tool<Input>({
    name: `delete_${noun}`,
    title: `Delete a ${noun}`,
    description: `${description} ${PREVIEWED}`,
    action,
    effect: 'delete',
    input: type,
    output: changeSchema(noun, record),
    answer: async (input, context) => {
      const { websiteId, confirm = false, revision } = input;
      const id = idIn(input, noun);
      const { caller, commands, queries } = context;
      const before = await queries.execute(new FindRecord(resource, id, caller, true, websiteId));
      const shown = { [noun]: before, changes: {} };
      if (!confirm) {
        assertCurrentRevision(before.revision, revision);
        return { ...PREVIEW, ...shown, note: `The ${noun} "${before.name}" would be deleted. ${PREVIEW.note}` };
      }
      await commands.execute(new ChangeRecord(resource, id, null, atRevision(context, revision)));
      return { done: true, ...shown, note: `The ${noun} was deleted.` };
    },
  });
