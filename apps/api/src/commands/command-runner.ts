import { setTimeout } from 'node:timers/promises';
import { Inject, Injectable, Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import type { Pool } from 'pg';
import { v5 } from 'uuid';
import { Problem } from '@ledgerline/contracts/errors/error-codes';
import type { DecidedEvent, Recorded } from '@ledgerline/contracts/events/event-versions';
import { revokesAccess } from '@ledgerline/contracts/record-kinds';
import { actorOf } from '@ledgerline/domain/access/caller';
import { type Decider, type DomainMessage, decide } from '@ledgerline/domain/decider';
import { Registry } from '@ledgerline/domain/registry/registry';
import {
  type AppendRequest,
  type EventStore,
  type RecordedEvent,
  type StreamName,
  decidedIn,
  readWholeStream,
  type EventMetadata,
  type NewEvent,
  versionMetadata,
} from '@ledgerline/platform/event-store/event-store';
import { asOutcomeUnknown } from '@ledgerline/platform/log/log-reader';
import { COMMAND_WAITS, Deadline } from '@ledgerline/platform/log/timing';
import {
  type PersonalDataBySubject,
  type PersonalData,
  PersonalDataCipher,
} from '@ledgerline/platform/personal-data/personal-data-cipher';
import { LiveRegistry } from '@ledgerline/platform/registry/live-registry';
import { RegistryFence } from '@ledgerline/platform/registry/registry-lease';
import { conflict } from '../http/problems';
import { EVENT_STORE, POOL } from '../tokens';
import { CommandResult, IdempotencyStore, type StartedCommand } from './command-context';

/** The time for which a command is decided again while others change its stream, and its longest pause in between. */
const RETRY_FOR_MS = 10_000;
const MAX_PAUSE_MS = 64;
const REGISTRY_TIMEOUT_MS = 2_000;

/** Events that leave nothing in memory out of date: a new link is found where it is stored. */
const NOT_HELD: ReadonlySet<string> = new Set<DecidedEvent['type']>([
  'SlugReserved',
  'StatusSlugReserved',
  'LinkCreated',
]);

/** From 2 on, personal data is in the sealed part and the hash chain includes the hash of the content. */
const SCHEMA_VERSION = '2';

/** A command, its decider and its stream. */
export interface CommandRun<State, Commands extends DomainMessage, Events extends DecidedEvent, Entry> {
  readonly decider: Decider<State, Commands, Events>;
  readonly stream: StreamName;
  readonly command: Commands;
  /** Writes what has to be stored before the events; may be called again, but not for a command that is repeated. */
  readonly prepare?: () => Promise<void>;
  /** Finds the result in this stream as it was after the command, or in a registry built from it; `deleted` for a deletion. */
  readonly answer: (registry: () => Registry, history: readonly Recorded[]) => Entry | undefined;
  /** Personal data of those whom the command names, for the sealed part of its events. */
  readonly personal?: PersonalDataBySubject;
  /** The revision of what the command changes, if its stream holds more than that; by default the stream's. */
  readonly revision?: (registry: Registry) => number | undefined;
}

/** Loads a stream, decides, and appends with the loaded revision as the expected one. */
@Injectable()
export class CommandRunner {
  constructor(
    @Inject(EVENT_STORE) private readonly store: EventStore,
    private readonly live: LiveRegistry,
    private readonly fence: RegistryFence,
    private readonly cipher: PersonalDataCipher,
  ) {}

  /**
   * A repeated command returns the result of the first one; a command that changes nothing appends nothing.
   * @throws Rejection by the decider · LogReplaced
   *   · Problem CONFLICT when If-Match names another revision, SERVICE_UNAVAILABLE when the stream never stays as it was read
   */
  async run<State, Commands extends DomainMessage, Events extends DecidedEvent, Entry>(
    commandRun: CommandRun<State, Commands, Events, Entry>,
    started: StartedCommand,
  ): Promise<CommandResult<Entry>> {
    const { decider, stream, command, prepare, answer } = commandRun;
    const { deadline = new Deadline() } = started;
    await this.live.assertContinues(deadline); // a history that was restored decides nothing
    const end = Date.now() + RETRY_FOR_MS;
    for (let pause = 1; Date.now() < end; pause = Math.min(2 * pause, MAX_PAUSE_MS)) {
      const history = await readWholeStream(this.store, stream, deadline);
      const done = history.findLast(({ metadata }) => isOf(metadata, started, command));
      if (done) return this.written(history.slice(0, done.revision + 1), answer, { replayed: true, deadline });
      assertRevision(history, commandRun, started);
      const events = await this.decide(decider, history, command);
      if (events.length === 0) return this.written(history, answer, { replayed: false, deadline });
      await prepare?.();
      const made = await this.newEvents(events, command, started, commandRun.personal);
      const result = await this.store.append(stream, history.at(-1)?.revision ?? 'no-stream', made, {
        newIds: started.isNew === true,
        deadline,
      });
      if (result.ok)
        return this.written([...history, ...result.events], answer, { replayed: result.replayed, deadline });
      await setTimeout(Math.random() * pause); // others that lost to the same command try again at other times
    }
    throw new Problem('SERVICE_UNAVAILABLE', 'Too many changes at once; nothing was stored, try again', undefined, 1);
  }

  /** Decides a command as `run` would, and stores nothing. @throws Rejection by the decider · Problem CONFLICT as `run` */
  async preview<State, Commands extends DomainMessage, Events extends DecidedEvent>(
    commandRun: Pick<CommandRun<State, Commands, Events, unknown>, 'decider' | 'stream' | 'command' | 'revision'>,
    started: StartedCommand,
  ): Promise<void> {
    await this.live.assertContinues(started.deadline);
    const history = await readWholeStream(this.store, commandRun.stream, started.deadline);
    assertRevision(history, commandRun, started);
    await this.decide(commandRun.decider, history, commandRun.command);
  }

  /**
   * Runs a command that begins a stream, without reading it: what has a new id has no stream yet. `before` is stored
   * first, the result of `begin` for other streams.
   * @returns undefined when one of the streams exists, also from an earlier try of this command: then `run` decides
   */
  async create<State, Commands extends DomainMessage, Events extends DecidedEvent, Entry>(
    commandRun: CommandRun<State, Commands, Events, Entry>,
    started: StartedCommand,
    before: readonly AppendRequest[] = [],
  ): Promise<CommandResult<Entry> | undefined> {
    const appends = [...before, await this.begin(commandRun, started)];
    const results = await this.store.appendInOrder(appends);
    const last = results.at(-1);
    if (results.length < appends.length || !last?.ok || results.some((result) => result.ok && result.replayed))
      return undefined;
    return this.written(last.events, commandRun.answer, { replayed: false, deadline: started.deadline });
  }

  /** The events of a command that begins a stream. @throws Rejection by the decider */
  async begin<State, Commands extends DomainMessage, Events extends DecidedEvent>(
    { decider, stream, command, personal }: CommandRun<State, Commands, Events, unknown>,
    started: StartedCommand,
  ): Promise<AppendRequest> {
    const events = decide(decider, [], command);
    const made = await this.newEvents(events, command, started, personal);
    const { isNew: newIds = false, deadline } = started;
    return { stream, expected: 'no-stream', events: made, newIds, deadline };
  }

  /** With ids, metadata and encrypted personal data; `others` is that of those whom the command names, beside the caller. */
  private newEvents(
    events: readonly DecidedEvent[],
    { type }: DomainMessage,
    started: StartedCommand,
    others: PersonalDataBySubject = new Map(),
  ): Promise<NewEvent[]> {
    const personal = new Map([...others, ...actorIn(started)]);
    return Promise.all(
      events.map(async (event, n) => {
        const id = v5(`${type}:${n}`, started.commandId); // a repeated append writes nothing twice
        const organization = event.data.organizationId;
        const sealed = await this.cipher.seal({ organization, eventId: id }, personal);
        return {
          id,
          type: event.type,
          data: event.data,
          metadata: { ...metadataOf(started, type, organization), ...versionMetadata(event.type) },
          ...(sealed === undefined ? {} : { sealed }),
        };
      }),
    );
  }

  /**
   * Decides a command, and answers also a rejection only when what caused it holds in every process: "already revoked"
   * means so.
   */
  private async decide<State, Commands extends DomainMessage, Events extends DecidedEvent>(
    decider: Decider<State, Commands, Events>,
    history: readonly RecordedEvent[],
    command: Commands,
  ): Promise<readonly Events[]> {
    try {
      return decide(decider, decidedIn(history) as unknown as Events[], command); // this stream holds only these
    } catch (error) {
      await this.holdsEverywhere(history);
      throw error;
    }
  }

  private async holdsEverywhere(history: readonly RecordedEvent[]): Promise<void> {
    const last = history.findLast(revokesAccess);
    if (last) await this.fence.passed(last.cursor);
  }

  /** Waits until the registry of this process includes what it holds of the new events, so that its next request sees them. */
  private async written<Entry>(
    history: readonly RecordedEvent[],
    answer: CommandRun<never, never, never, Entry>['answer'],
    { replayed, deadline }: { readonly replayed: boolean; readonly deadline: Deadline | undefined },
  ): Promise<CommandResult<Entry>> {
    const entry = answer(() => registryOf(history), decidedIn(history));
    const last = history.at(-1);
    if (!last || entry === undefined) throw new Error('What was just written is not in its stream.');
    const leftMs = deadline?.left(COMMAND_WAITS.firstMs) ?? REGISTRY_TIMEOUT_MS;
    if (!NOT_HELD.has(last.type))
      await this.live.hasReached(last.cursor, Math.max(Math.min(leftMs, REGISTRY_TIMEOUT_MS), 0));
    await this.holdsEverywhere(history).catch((error: unknown) => {
      throw asOutcomeUnknown(error); // its events are stored
    });
    return new CommandResult(entry, last.cursor, replayed);
  }
}

/** The actor and the command: strings, because every store supports those. */
function metadataOf(
  { caller, commandId, correlationId, requestId }: StartedCommand,
  commandType: string,
  organization: string,
): EventMetadata {
  const actor = actorOf(caller);
  return {
    actor: actor.id,
    actorType: actor.type,
    ...(caller.kind === 'key' ? { actorName: caller.name } : {}),
    ...(caller.kind === 'grant' ? { grant: caller.id, client: caller.client } : {}),
    organization,
    occurredAt: new Date().toISOString(),
    correlation: correlationId ?? requestId ?? commandId,
    causation: commandId,
    command: commandId,
    commandType,
    ...(requestId === undefined ? {} : { requestId }),
    app: 'api',
    schemaVersion: SCHEMA_VERSION,
  };
}

/** The caller's personal data under its id, none where there is none. */
function actorIn({ caller, client }: StartedCommand): readonly (readonly [string, PersonalData])[] {
  if (caller.kind === 'anonymous') return [];
  const { id, name, email } = actorOf(caller);
  const data = { name, email, ip: client?.ip, userAgent: client?.userAgent };
  const known = Object.entries(data).filter(([, value]) => value !== undefined);
  return known.length === 0 ? [] : [[id, Object.fromEntries(known)]];
}

function registryOf(history: readonly RecordedEvent[]): Registry {
  const registry = new Registry();
  for (const event of decidedIn(history)) registry.apply(event);
  return registry;
}

/** Compares If-Match with the revision on which the command decides: a later change makes the append fail. */
function assertRevision(
  history: readonly RecordedEvent[],
  { revision }: Pick<CommandRun<never, never, never, unknown>, 'revision'>,
  { expectedRevision }: StartedCommand,
): void {
  if (expectedRevision === undefined) return;
  assertCurrentRevision(revision ? revision(registryOf(history)) : history.at(-1)?.revision, expectedRevision);
}

/** @throws Problem CONFLICT when another revision is expected than the current one */
export function assertCurrentRevision(current: number | undefined, expected: number | undefined): void {
  if (current !== undefined && expected !== undefined && current !== expected)
    throw conflict(`This was changed meanwhile: its revision is now ${current}`);
}

const isOf = (
  metadata: Readonly<Record<string, string>>,
  { commandId }: StartedCommand,
  { type }: DomainMessage,
): boolean => metadata.command === commandId && metadata.commandType === type;

/** Provides what every command needs. */
@Module({
  imports: [CqrsModule.forRoot()],
  providers: [
    IdempotencyStore,
    CommandRunner,
    {
      provide: RegistryFence,
      inject: [POOL, EVENT_STORE],
      useFactory: (pool: Pool, store: EventStore) => new RegistryFence(pool, store),
    },
  ],
  exports: [CqrsModule, IdempotencyStore, CommandRunner],
})
export class CommandsModule {}
