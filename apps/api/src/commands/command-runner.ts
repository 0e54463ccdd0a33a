import { Inject, Injectable } from '@nestjs/common';
import type { DecidedEvent } from '@ledgerline/contracts/events/decided-events';
import type { JsonObject } from '@ledgerline/contracts/json';
import { decide, type Decider, type Named } from '@ledgerline/domain/decider';
import { Registry } from '@ledgerline/domain/registry/registry';
import {
  asDecided,
  type EventMetadata,
  type EventStore,
  type NewEvent,
  type RecordedEvent,
  type StreamName,
} from '@ledgerline/platform/event-store/event-store';
import { currentRequestId } from '@ledgerline/platform/http/request-id';
import { LiveRegistry } from '@ledgerline/platform/registry/live-registry';
import { v5 } from 'uuid';
import { conflict } from '../http/problems';
import { EVENT_STORE } from '../tokens';
import type { StartedCommand } from './idempotency-store';
import { Written } from './written';

const MAX_TRIES = 5;
const REGISTRY_TIMEOUT_MS = 2_000;
const SCHEMA_VERSION = '1';

/** A command, its decider and its stream. */
export interface CommandRun<State, Commands extends Named, Events extends DecidedEvent, Entry> {
  readonly decider: Decider<State, Commands, Events>;
  readonly stream: StreamName;
  readonly command: Commands;
  /** Finds the result in a registry built from this stream as it was after the command. */
  readonly answer: (registry: Registry) => Entry | undefined;
}

/** Loads a stream, decides, and appends with the loaded revision as the expected one. */
@Injectable()
export class CommandRunner {
  constructor(
    @Inject(EVENT_STORE) private readonly store: EventStore,
    private readonly live: LiveRegistry,
  ) {}

  /**
   * A repeated command returns the result of the first one.
   * @throws Rejection by the decider · Problem CONFLICT when other commands keep changing the same stream
   */
  async run<State, Commands extends Named, Events extends DecidedEvent, Entry>(
    { decider, stream, command, answer }: CommandRun<State, Commands, Events, Entry>,
    started: StartedCommand,
  ): Promise<Written<Entry>> {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const history = await this.store.readStream(stream);
      const done = history.findLast(({ metadata }) => isOf(metadata, started, command));
      if (done) return this.written(history.slice(0, done.revision + 1), answer, true);
      const events = decide(decider, history.map(asDecided) as unknown as Events[], command); // this stream holds only these
      if (events.length === 0) return this.written(history, answer, false);
      const newEvents = events.map((event, n) => newEvent(event, command, started, n));
      const result = await this.store.append(stream, history.at(-1)?.revision ?? 'no-stream', newEvents);
      if (!result.ok) continue;
      const written = await this.store.readStream(stream, { limit: result.revision + 1 });
      return this.written(written, answer, result.replayed);
    }
    throw conflict('Somebody else changed this at the same time; try again');
  }

  /** Waits until the registry of this process includes the new events, so that its next request sees them. */
  private async written<Entry>(
    history: readonly RecordedEvent[],
    answer: (registry: Registry) => Entry | undefined,
    replayed: boolean,
  ): Promise<Written<Entry>> {
    const registry = new Registry();
    for (const event of history) registry.apply(asDecided(event));
    const entry = answer(registry);
    const last = history.at(-1);
    if (!last || entry === undefined) throw new Error('What was just written is not in its stream.');
    await this.live.hasReached(last.cursor, REGISTRY_TIMEOUT_MS);
    return new Written(entry, last.cursor, replayed);
  }
}

const isOf = (metadata: Readonly<Record<string, string>>, { commandId }: StartedCommand, { type }: Named): boolean =>
  metadata.command === commandId && metadata.commandType === type;

/** Event ids are derived from the command's id, so that a repeated append writes nothing twice. */
const newEvent = (event: DecidedEvent, { type }: Named, started: StartedCommand, n: number): NewEvent => ({
  id: v5(`${type}:${n}`, started.commandId),
  type: event.type,
  data: event.data as unknown as JsonObject, // an interface has no index signature, though every event is plain JSON
  metadata: metadataOf(started, type, event.data.organizationId),
});

/** The actor and the command: strings, because every store supports those. */
function metadataOf({ caller, commandId }: StartedCommand, commandType: string, organization: string): EventMetadata {
  const requestId = currentRequestId();
  return {
    actor: caller.kind === 'anonymous' ? 'system' : caller.id,
    actorType: caller.kind === 'anonymous' ? 'system' : caller.kind === 'key' ? 'api_key' : 'user',
    ...(caller.kind === 'key' ? { actorName: caller.name } : {}),
    organization,
    correlation: requestId ?? commandId,
    causation: commandId,
    command: commandId,
    commandType,
    ...(requestId === undefined ? {} : { requestId }),
    app: 'api',
    schemaVersion: SCHEMA_VERSION,
  };
}
