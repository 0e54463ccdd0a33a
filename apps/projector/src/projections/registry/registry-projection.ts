import type { DecidedEvent } from '@ledgerline/contracts/events/decided-events';
import type { ReadModel } from '@ledgerline/contracts/read-models/read-model';
import type { AnyRowChange, RowChange } from './row-changes';
import type { RowCount } from './row-count';

/** A decided event as it was recorded; `at` in epoch ms, `revision` in its stream. */
export type RecordedDecision<Event extends DecidedEvent = DecidedEvent> = Event extends DecidedEvent
  ? Event & { readonly at: number; readonly revision: number }
  : never;

type Handlers<Change> = {
  readonly [Type in DecidedEvent['type']]?: (
    event: Extract<RecordedDecision, { readonly type: Type }>,
  ) => readonly Change[];
};

/** A read model of things that are created, changed and deleted; having a handler is the subscription. */
export interface RegistryProjection {
  readonly builds: ReadModel;
  readonly on: Handlers<AnyRowChange>;
  /** Another read model, with the number of these rows. */
  readonly count?: RowCount;
}

/** The types that it has handlers for are part of its type. */
export const registryProjection = <Model extends ReadModel, On extends Handlers<RowChange<Model>>>(
  builds: Model,
  on: On,
  count?: RowCount,
): Omit<RegistryProjection, 'on'> & { readonly on: On } => ({ builds, on, ...(count ? { count } : {}) });

/** The types that any of these has a handler for. */
export type HandledType<Projection> = Projection extends { readonly on: infer On } ? keyof On : never;

/** What one event does to the rows, whatever its type. */
export function rowChangesOf({ on }: RegistryProjection, event: RecordedDecision): readonly AnyRowChange[] {
  const handler = on[event.type] as ((event: RecordedDecision) => readonly AnyRowChange[]) | undefined;
  return handler?.(event) ?? [];
}
