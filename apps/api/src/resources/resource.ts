import type { DecidedEvent, Recorded } from '@ledgerline/contracts/events/decided-events';
import type { RegistryRecord } from '@ledgerline/contracts/records';
import type { Caller } from '@ledgerline/domain/access/caller';
import type { Action, Resource as Scope } from '@ledgerline/domain/access/permissions';
import type { Decider, Message } from '@ledgerline/domain/decider';
import type { Registry } from '@ledgerline/domain/registry/registry';
import type { StreamName } from '@ledgerline/platform/event-store/event-store';
import type { Type } from '@nestjs/common';
import type { CommandRun } from '../commands/command-runner';
import type { CommandResult } from '../commands/command-context';
import type { IdPrefix, StartedCommand } from '../commands/idempotency-store';

/** What an organization has and people manage: websites, flags, monitors. */
export type Entry = RegistryRecord & { readonly organizationId: string };

/**
 * What is special about one kind of entries: who may touch them, the commands of their decider, and how they are shown.
 * `Input` is all that a request can say of one; `Dto` is its record.
 */
export interface Resource<Of extends Entry = Entry, Input extends object = object, Dto extends object = object> {
  /** In errors: `Monitor` not found. */
  readonly noun: string;
  readonly idPrefix: IdPrefix;
  readonly reads: Action;
  readonly writes: Action;
  /** What a field is that a new one does not state, or that is set to null. */
  readonly defaults: object;
  /** The one with that id, in a registry or in the stream that was written. */
  readonly entry: (registry: () => Registry, id: string, history: readonly Recorded[]) => Of | undefined;
  /** Those of an organization, in the order of their list. */
  readonly entriesOf?: (registry: Registry, organizationId: string) => readonly Of[];
  /** In the place of the registry; of all organizations of the caller. */
  readonly find?: (id: string, caller: Caller) => Promise<Of | undefined>;
  /** What a permission to touch it has to cover, if not the organization and the website that it names. */
  readonly scope?: (entry: Of) => Scope;
  /** What is sent as it may be kept, even if only as a hash: of the same text always the same. */
  readonly prepare?: (input: Partial<Input>) => object;
  /** Refuses what no decider can know is wrong, before anything of a command is stored; `current` is what would change. */
  readonly check?: (input: Partial<Input>, caller: Caller, current?: Of) => void | Promise<void>;
  /** Also the result itself, where more than one stream is written. */
  readonly create: (input: Input, started: StartedCommand) => Decision | Promise<Decision> | Promise<CommandResult<Of>>;
  readonly update: (changes: Partial<Input>, current: Of, started: StartedCommand) => Decision | Promise<Decision>;
  readonly delete: (current: Of) => Decision;
  /** After a change is stored, null = a deletion, and again after its repetition. */
  readonly stored?: (
    changes: Partial<Input> | null,
    after: Of | null,
    history: readonly Recorded[],
  ) => void | Promise<void>;
  readonly records: (entries: readonly Of[]) => readonly Dto[] | Promise<readonly Dto[]>;
}

/** The class of a resource, by which commands and queries name it. */
export interface ResourceType<Of extends Entry = Entry, Dto extends object = object> extends Type<
  Resource<Of, never, Dto>
> {
  /** Those that create, change and delete one; stored with each event. */
  readonly commands: readonly [create: string, update: string, remove: string];
}

/** A command with its decider and stream. */
export type Decision = Pick<
  CommandRun<unknown, Message, DecidedEvent, unknown>,
  'decider' | 'stream' | 'command' | 'revision'
>;

/** Checks that a decider knows a command, which those who run it need not know. */
export const decision = <State, Commands extends Message, Events extends DecidedEvent>(
  decider: Decider<State, Commands, Events>,
  stream: StreamName,
  command: Commands,
  more: Pick<Decision, 'revision'> = {},
): Decision => ({ decider, stream, command, ...more }) as unknown as Decision; // its state is its own matter
