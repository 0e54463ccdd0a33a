import type { DecidedEvent, Recorded } from '@ledgerline/contracts/events/decided-events';

/** What an event does to a record: writes it whole, sets some fields of it if it exists, or removes it. */
export type RecordChange<Stored> =
  | { readonly write: Stored }
  | { readonly set: KeyOf<Stored> & Partial<Stored> }
  | { readonly remove: KeyOf<Stored> };

type KeyOf<Stored> = Stored extends { readonly id: string } ? Pick<Stored, 'id'> : Omit<Stored, NoKey<Stored>>;
type NoKey<Stored> = Exclude<keyof Stored, 'organizationId' | 'userId'>;

/** Where records are kept; what is set of a record that does not exist changes nothing. */
export interface RecordStore<Stored> {
  write(stored: Stored): void;
  set(changes: KeyOf<Stored> & Partial<Stored>): void;
  remove(key: KeyOf<Stored>): void;
}

export function applyTo<Stored>(store: RecordStore<Stored>, change: RecordChange<Stored>): void {
  if ('write' in change) store.write(change.write);
  else if ('set' in change) store.set(change.set);
  else store.remove(change.remove);
}

/** Handlers of some types of events; having one is the subscription. */
export type Handlers<Stored> = {
  readonly [Type in DecidedEvent['type']]?: (
    event: Recorded<Extract<DecidedEvent, { readonly type: Type }>>,
  ) => RecordChange<Stored>;
};

export const updated = ({ recordedAt, revision }: Recorded) => ({ updatedAt: recordedAt, revision });
export const created = (event: Recorded) => ({ createdAt: event.recordedAt, ...updated(event) });
