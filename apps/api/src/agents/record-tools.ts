import type { Type } from '@nestjs/common';
import { IntersectionType, OmitType } from '@nestjs/swagger';
import type { RecordAccessRules, AnyRecordKind } from '@ledgerline/contracts/record-kind';
import { RECORD_KINDS, type RecordKindName } from '@ledgerline/contracts/record-kinds';
import { omit } from '@ledgerline/domain/decider';
import { assertCurrentRevision } from '../commands/command-runner';
import { changesIn, type OrganizationOwnedRecord, type ResourceType, withDtoDefaults } from '../commands/resource';
import { ChangeRecord, CreateRecord } from '../commands/resource.commands';
import { FindRecord, PreviewRecord } from '../commands/resource.queries';
import { Id } from '../http/fields';
import {
  atRevision,
  changedFields,
  changeSchema,
  Confirm,
  IdempotencyKey,
  OfWebsite,
  PREVIEW,
  Revision,
} from './changes';
import { listTool, callerOrganization, PREVIEWED, tool, type Tool, type ToolContext } from './tool';

/** A record with what every tool shows of it; null = the caller may not see its name. */
type Shown = object & { readonly name: string | null; readonly revision: number };

/** The kinds whose declaration says who may read and change them. */
type KindWithAccess = Exclude<RecordKindName, 'oauthGrants'>;

/** Records as requests create them. */
interface Kind<Of extends OrganizationOwnedRecord, Dto extends object> {
  readonly kind: KindWithAccess;
  readonly resource: ResourceType<Of, Dto>;
  readonly record: Type<object>;
  /** The body of a request that creates one. */
  readonly create: Type<object>;
}

/** The tools of a kind, whose decisions store nothing by themselves. */
interface RecordTools<Of extends OrganizationOwnedRecord, Dto extends Shown> extends Kind<Of, Dto> {
  /** The body of a request that changes one. */
  readonly update: Type<object>;
  /** The texts that models read of each tool, and the fields that null clears. */
  readonly tools: Readonly<Record<'list' | 'create' | 'update' | 'delete', string>> & {
    readonly clears?: readonly string[];
  };
}

type Fields = Readonly<Record<string, unknown>>;

/** `saved_view` of `create_saved_view`, `SavedView` of schemas, `savedViewId` of an argument, `savedView` of an answer. */
function namesOf(kind: KindWithAccess) {
  const { name, noun, id, access }: AnyRecordKind & { readonly access: RecordAccessRules } = RECORD_KINDS[kind];
  const field = id.replace(/Id$/, '');
  const type = `${field.charAt(0).toUpperCase()}${field.slice(1)}`;
  return { name, type, id, field, noun: noun.toLowerCase(), isOfWebsites: access.isOfWebsites === true };
}

/** In the document a class has its name. */
const named = <Of extends Type<object>>(type: Of, name: string): Of =>
  Object.defineProperty(type, 'name', { value: name });

class Change {
  @Confirm()
  confirm?: boolean;

  @Revision('record')
  revision?: number;
}

class WebsiteOfRecord {
  @OfWebsite()
  websiteId?: string;
}

type ChangeInput = Change & WebsiteOfRecord;

/** Returns what a tool takes that changes or deletes a record, beside the fields. */
function changeInput({ type, id, name, isOfWebsites }: ReturnType<typeof namesOf>): Type<ChangeInput> {
  class OneInput extends (isOfWebsites ? IntersectionType(WebsiteOfRecord, Change) : Change) {}
  Id(`As list_${name}s gives it`)(OneInput.prototype, id);
  return named(OneInput, `${type}Input`);
}

/** A list, and what creates, changes and deletes one of it. */
export function recordTools<Of extends OrganizationOwnedRecord, Dto extends Shown>(
  declared: RecordTools<Of, Dto>,
): readonly Tool[] {
  const { kind, resource, record, tools } = declared;
  const names = namesOf(kind);
  const list = listTool<Of, Dto>({
    of: kind,
    isOfWebsites: names.isOfWebsites,
    title: `List ${names.noun}s`,
    description: tools.list,
    action: `${kind}:read`,
    resource,
    record,
    nameOf: ({ name }) => name ?? '',
  });
  const input = changeInput(names);
  return [list, creationTool(declared, tools.create), changeTool(declared, input), deletionTool(declared, input)];
}

/** What a preview of a creation shows beside it, with its schema. */
interface Previewed {
  readonly output: Readonly<Record<string, object>>;
  readonly answer: (body: { readonly organizationId: string }, context: ToolContext) => Promise<object>;
}

/** The tool that creates a record of a kind. */
export function creationTool<Of extends OrganizationOwnedRecord, Dto extends object>(
  { kind, resource, record, create }: Kind<Of, Dto>,
  description: string,
  previewed?: Previewed,
): Tool {
  const { name, type, field, noun } = namesOf(kind);
  class CreateInput extends OmitType(create as Type<{ organizationId: string }>, ['organizationId']) {
    @Confirm()
    confirm?: boolean;

    @IdempotencyKey(noun)
    idempotencyKey?: string;
  }
  return tool<CreateInput>({
    name: `create_${name}`,
    title: `Create ${/^[aeiou]/.test(noun) ? 'an' : 'a'} ${noun}`,
    description: `${description} ${PREVIEWED}`,
    action: `${kind}:write`,
    effect: 'create',
    input: named(CreateInput, `Create${type}Input`),
    output: changeSchema(noun, record, field, previewed?.output),
    answer: async ({ confirm = false, idempotencyKey, ...details }, context) => {
      const { caller, command, commands, queries, resources } = context;
      const body = { organizationId: callerOrganization(caller), ...details };
      const changes = changedFields(null, withDtoDefaults(details, resources.of(resource).defaults));
      if (!confirm) {
        await queries.execute(new PreviewRecord(resource, null, body, command));
        return { ...PREVIEW, [field]: null, changes, ...(await previewed?.answer(body, context)) };
      }
      const sent = new CreateRecord(resource, body, { ...command, idempotencyKey });
      const { entry, replayed } = await commands.execute(sent);
      const note = replayed ? `This idempotencyKey had created the ${noun} before.` : `The ${noun} was created.`;
      return { done: true, [field]: entry, changes, note };
    },
  });
}

/** The record that a change is about, as it is before. */
const foundFor = async <Of extends OrganizationOwnedRecord, Dto extends object>(
  { kind, resource }: Kind<Of, Dto>,
  input: ChangeInput,
  { caller, queries }: ToolContext,
) => {
  const id = String(Reflect.get(input, namesOf(kind).id) ?? ''); // as its class has it
  return { id, before: await queries.execute(new FindRecord(resource, id, caller, true, input.websiteId)) };
};

/** A tool that changes the given fields of one of a kind. */
function changeTool<Of extends OrganizationOwnedRecord, Dto extends Shown>(
  declared: RecordTools<Of, Dto>,
  one: Type<ChangeInput>,
): Tool {
  const { kind, resource, record, update, tools } = declared;
  const { name, type, id: idField, field, noun } = namesOf(kind);
  class UpdateInput extends IntersectionType(update, one) {}
  return tool<ChangeInput>({
    name: `update_${name}`,
    title: `Change a ${noun}`,
    description: `Changes the fields that are given and leaves the others as they are. ${tools.update} ${PREVIEWED}`,
    action: `${kind}:write`,
    effect: 'change',
    input: named(UpdateInput, `Update${type}Input`),
    clears: (tools.clears ?? []) as readonly (keyof ChangeInput)[], // fields of the other class
    output: changeSchema(noun, record, field),
    answer: async (input, context) => {
      const { confirm = false, revision } = input;
      const settings = omit(input as Fields, idField, 'websiteId', 'confirm', 'revision');
      const { commands, queries, resources } = context;
      const { id, before } = await foundFor(declared, input, context);
      const changes = changedFields(before, changesIn(settings, resources.of(resource).defaults));
      const isSame = Object.keys(changes).length === 0;
      const command = atRevision(context, revision);
      if (!confirm) {
        await queries.execute(new PreviewRecord(resource, id, settings, command));
        const note = isSame ? `Nothing would change: the ${noun} has these values already.` : PREVIEW.note;
        return { ...PREVIEW, [field]: before, changes, note };
      }
      const { entry } = await commands.execute(new ChangeRecord(resource, id, settings, command));
      const note = isSame ? `Nothing was changed: the ${noun} had these values already.` : `The ${noun} was changed.`;
      return { done: true, [field]: entry, changes, note };
    },
  });
}

/** A tool that deletes one of a kind. */
function deletionTool<Of extends OrganizationOwnedRecord, Dto extends Shown>(
  declared: RecordTools<Of, Dto>,
  one: Type<ChangeInput>,
): Tool {
  const { kind, resource, record, tools } = declared;
  const { name, field, noun } = namesOf(kind);
  return tool<ChangeInput>({
    name: `delete_${name}`,
    title: `Delete a ${noun}`,
    description: `${tools.delete} ${PREVIEWED}`,
    action: `${kind}:write`,
    effect: 'delete',
    input: one,
    output: changeSchema(noun, record, field),
    answer: async (input, context) => {
      const { confirm = false, revision } = input;
      const { id, before } = await foundFor(declared, input, context);
      const shown = { [field]: before, changes: {} };
      if (!confirm) {
        assertCurrentRevision(before.revision, revision);
        return { ...PREVIEW, ...shown, note: `The ${noun} "${before.name}" would be deleted. ${PREVIEW.note}` };
      }
      await context.commands.execute(new ChangeRecord(resource, id, null, atRevision(context, revision)));
      return { done: true, ...shown, note: `The ${noun} was deleted.` };
    },
  });
}
