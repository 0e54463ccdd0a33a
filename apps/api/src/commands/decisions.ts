import { Inject, Injectable } from '@nestjs/common';
import type { DecidedEvent } from '@ledgerline/contracts/events/decided-events';
import type { JsonObject } from '@ledgerline/contracts/json';
import { decide, type Decider, type Named } from '@ledgerline/domain/decider';
import { Registry } from '@ledgerline/domain/registry/registry';
import type { EventStore, NewEvent, RecordedEvent, StreamName } from '@ledgerline/platform/event-store/event-store';
import { decided } from '@ledgerline/platform/event-store/decided';
import { LiveRegistry } from '@ledgerline/platform/registry/live-registry';
import { conflict } from '../http/problems';
import { EVENT_STORE } from '../tokens';
import { Written, type Attempt } from './attempt';
import { eventId } from './ids';
import { metadataOf } from './metadata';

const MAX_TRIES = 5;
const SEEN_WITHIN_MS = 2_000;

/** Takes decisions: loads a stream, decides on it, appends at exactly the revision that was looked at. */
@Injectable()
export class Decisions {
  constructor(
    @Inject(EVENT_STORE) private readonly store: EventStore,
    private readonly live: LiveRegistry,
  ) {}

  /**
   * Answers the registry of this one stream as it was after the command, so that a repetition answers the same.
   * @throws Rejection what the rules refuse · Problem CONFLICT when others keep changing the same thing
   */
  async take<State, Commands extends Named, Events extends DecidedEvent>(
    rules: Decider<State, Commands, Events>,
    stream: StreamName,
    command: Commands,
    attempt: Attempt,
  ): Promise<Written<Registry>> {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const history = await this.store.readStream(stream);
      const done = history.findLast(({ metadata }) => isOf(metadata, attempt, command));
      if (done) return this.written(history.slice(0, done.revision + 1), true);
      const events = decide(rules, history.map(decided) as unknown as Events[], command); // this stream holds only these
      if (events.length === 0) return this.written(history, false);
      const news = events.map((event, n) => newEvent(event, command, attempt, n, organizationOf(event)));
      const result = await this.store.append(stream, history.at(-1)?.revision ?? 'no-stream', news);
      if (!result.ok) continue;
      return this.written(await this.store.readStream(stream, { limit: result.revision + 1 }), result.replayed);
    }
    throw conflict('Somebody else changed this at the same time; try again');
  }

  /** Answers only when this process knows what was written, so that the next request here rests on it. */
  private async written(history: readonly RecordedEvent[], replayed: boolean): Promise<Written<Registry>> {
    const last = history.at(-1);
    if (!last) throw new Error('A stream that was just written is empty.');
    const registry = new Registry();
    for (const event of history) registry.apply(decided(event));
    await this.live.hasReached(last.cursor, SEEN_WITHIN_MS);
    return new Written(registry, last.cursor, replayed);
  }
}

const isOf = (metadata: Readonly<Record<string, string>>, { commandId }: Attempt, { type }: Named): boolean =>
  metadata.command === commandId && metadata.commandType === type;

const organizationOf = ({ data }: DecidedEvent): string => data.organizationId;

function newEvent(event: DecidedEvent, command: Named, attempt: Attempt, n: number, organization: string): NewEvent {
  return {
    id: eventId(attempt.commandId, command.type, n),
    type: event.type,
    data: event.data as unknown as JsonObject, // an interface has no index signature, though every event is plain JSON
    metadata: metadataOf(attempt, command.type, organization),
  };
}
