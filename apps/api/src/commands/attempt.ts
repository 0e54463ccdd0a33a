import type { Caller } from '@ledgerline/domain/access/caller';
import type { Cursor } from '@ledgerline/platform/log/log-reader';

/** Who wants something, and the Idempotency-Key they sent with it, if any. */
export interface Asker {
  readonly caller: Caller;
  readonly repeatKey?: string | undefined;
}

/** One command under way; the same for every repetition under one Idempotency-Key. */
export interface Attempt {
  readonly caller: Caller;
  /** UUID; every event id of the command comes from it. */
  readonly commandId: string;
  /** The id the new thing gets. */
  readonly thingId: string;
}

/** What a command wrote: the thing as it was then, and the place in the event store after which everybody sees it. */
export class Written<Thing> {
  constructor(
    readonly thing: Thing,
    readonly cursor: Cursor,
    /** True when an earlier attempt had written it. */
    readonly replayed: boolean,
  ) {}

  as<Other>(change: (thing: Thing) => Other): Written<Other> {
    return new Written(change(this.thing), this.cursor, this.replayed);
  }
}
