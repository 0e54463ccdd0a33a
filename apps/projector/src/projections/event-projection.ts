import type { ReadModel } from '@ledgerline/contracts/read-models/read-model';
import type { Row } from '@ledgerline/platform/database/read-model-rows';

/** A read model whose rows follow from single events; having a handler is the subscription. */
export interface EventProjection<Event extends { readonly type: string }> {
  readonly builds: ReadModel;
  readonly on: Handlers<Event, Row>;
}

export type Handlers<Event extends { readonly type: string }, R> = {
  readonly [Type in Event['type']]?: (event: Extract<Event, { readonly type: Type }>) => readonly R[];
};

export const eventProjection =
  <Event extends { readonly type: string }>() =>
  <Model extends ReadModel>(builds: Model, on: Handlers<Event, Row<Model>>): EventProjection<Event> => ({ builds, on });

/** The rows one event makes, whatever its type. */
export function rowsOf<Event extends { readonly type: string }>(
  { on }: EventProjection<Event>,
  event: Event,
): readonly Row[] {
  const handler = on[event.type as Event['type']] as ((event: Event) => readonly Row[]) | undefined;
  return handler?.(event) ?? [];
}
