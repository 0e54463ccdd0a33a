import type { Type } from '@nestjs/common';
import { organizationsOf, type Caller } from '@ledgerline/domain/access/caller';
import { may, type Action } from '@ledgerline/domain/access/permissions';
import type { Registry } from '@ledgerline/domain/registry/registry';
import type { CommandBus, QueryBus } from '@nestjs/cqrs';
import type { CommandContext } from '../commands/command-context';
import type { BudgetName } from '../http/route';
import { invalid } from '../http/problems';
import { validated } from '../http/validation';

/** The caller of a tool, and what the tool is answered with. */
export interface ToolContext {
  readonly caller: Caller;
  readonly command: CommandContext;
  readonly commands: CommandBus;
  readonly queries: QueryBus;
  /** Of the tracking host, where short links begin. */
  readonly publicTrackUrl: string;
  /** Aborted when the client goes away. */
  readonly signal: AbortSignal;
}

interface Described {
  readonly name: string;
  readonly title: string;
  /** What models read to choose a tool and to fill in its arguments. */
  readonly description: string;
  /** What a caller must be allowed to do for the tool to be listed; null = any credential will do. */
  readonly action: Action | null;
  /** read: changes nothing · create, change, delete: as its name says, once it is confirmed. */
  readonly effect: 'read' | 'create' | 'change' | 'delete';
  /** Counted in addition to the request itself. */
  readonly budget?: BudgetName;
  /** The JSON schema of a result; refers to DTOs as the OpenAPI document does. */
  readonly output: object;
}

interface Declared<Input extends object> extends Described {
  readonly input: Type<Input>;
  readonly answer: (input: Input, context: ToolContext) => Promise<object>;
}

export interface Tool extends Described {
  /** Undefined for a tool without arguments. */
  readonly input: Type<object> | undefined;
  /** @throws Problem also for arguments that the input does not describe */
  readonly call: (args: object, context: ToolContext) => Promise<object>;
}

/** A tool whose arguments are validated like the body of a request. */
export function tool<Input extends object>({ answer, ...described }: Declared<Input>): Tool {
  return { ...described, call: async (args, context) => answer(validated(described.input, args), context) };
}

interface DeclaredWithoutInput extends Described {
  readonly answer: (context: ToolContext) => Promise<object>;
}

export function toolWithoutInput({ answer, ...described }: DeclaredWithoutInput): Tool {
  return {
    ...described,
    input: undefined,
    call: (args, context) => {
      const details = Object.keys(args).map((field) => ({ field, message: 'Is not a known field.' }));
      if (details.length > 0) throw invalid(details);
      return answer(context);
    },
  };
}

/** What can be allowed on a single website. */
const OF_WEBSITES: readonly Action[] = ['websites:read', 'flags:read'];

/** Whether a tool is listed for a caller: whether it may do what the tool does, to anything at all. */
export function mayUse({ action }: Pick<Tool, 'action'>, caller: Caller, registry: Registry): boolean {
  if (action === null) return true;
  return organizationsOf(caller).some(
    (organizationId) =>
      may(caller, action, { organizationId }) ||
      (OF_WEBSITES.includes(action) &&
        registry
          .websitesOf(organizationId)
          .some(({ id: websiteId }) => may(caller, action, { organizationId, websiteId }))),
  );
}

/** The organization that a key or a client acts in. */
export function organizationOf(caller: Caller): string {
  const [only, second] = organizationsOf(caller);
  if (only === undefined || second !== undefined) throw new Error('A caller of tools belongs to one organization.');
  return only;
}
