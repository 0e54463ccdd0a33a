import { encodeEventId } from '@ledgerline/contracts/events/event-id';
import type { LoggedHit } from '@ledgerline/platform/intake-log/intake-log';
import type { LogReader } from '@ledgerline/platform/log/log-reader';
import type { Pool } from 'pg';
import type { WebsitesGroup } from '../projections/websites/websites-group';

/** What a thread works with that fills tables of websites. */
export interface BulkWork {
  readonly log: Pick<LogReader<LoggedHit>, 'read' | 'compare'>;
  /** Of the read store. */
  readonly pool: Pool;
  /** The same without pipelining, for `copy`. */
  readonly copying: Pool;
  readonly group: WebsitesGroup;
}

/** An event that cannot be projected ends it all; the message names the event and says why. */
export class EventRefused extends Error {
  constructor({ id, type, subject }: { id: string; type: string; subject: string }, cause: unknown) {
    const why = cause instanceof Error ? cause.message : String(cause);
    super(`The event ${id} (${type}) of ${subject} cannot be projected: ${why}`, { cause });
    this.name = 'EventRefused';
  }
}

/** The id of an event by the 32 hex digits of its hit. */
export const eventIdOf = ({ id }: { readonly id: string }): string => encodeEventId(Buffer.from(id, 'hex'));
