import { applyDecorators, HttpCode } from '@nestjs/common';
import type { Cursor } from '@ledgerline/platform/log/log-reader';
import { ApiNoContentResponse } from '@nestjs/swagger';

/** What a command wrote: the entry as it was then, and the position in the event store that includes it. */
export class CommandResult<Entry> {
  constructor(
    readonly entry: Entry,
    readonly cursor: Cursor,
    /** True when an earlier request with the same Idempotency-Key had written it. */
    readonly replayed: boolean,
  ) {}

  as<Other>(change: (entry: Entry) => Other): CommandResult<Other> {
    return new CommandResult(change(this.entry), this.cursor, this.replayed);
  }
}

/** A route that deletes: it answers 204, and its command with `deleted`. */
export const Deletes = () => applyDecorators(HttpCode(204), ApiNoContentResponse({ description: 'Deleted' }));
