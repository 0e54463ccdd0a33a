import type { AnyRecordKind } from '@ledgerline/contracts/record-kind';
import { type EventOf, type RecordKindName, type RecordKinds, RECORD_KINDS } from '@ledgerline/contracts/record-kinds';
import type { OwnEventTypeOf } from '@ledgerline/contracts/records';
import type { Decider, DomainMessage } from '../decider';

/** An event as the audit log shows it. */
export interface AuditRow<Data> {
  readonly action: `${string}.${string}`;
  /** Returns what the event is about; by default its record. */
  readonly target?: (data: Data) => { readonly type: string; readonly id: unknown; readonly name?: unknown };
  /** Fields that did not exist before. */
  readonly gives?: (data: Data) => object;
  /** Fields that do not exist any more. */
  readonly takes?: (data: Data) => object;
  /** The event as people may see it; by default all of it. */
  readonly shown?: (data: Data) => object;
}

interface Audit<Rows> {
  /** Returns what a record is called; by default its name. */
  readonly title?: (data: never) => string;
  /** Fields of the event that creates one, which people do not see. */
  readonly hidden?: readonly string[];
  /** A field that is encrypted or hashed: that it changed is shown, and not its text. */
  readonly sealed?: string;
  /** The audit rows that the effects of events do not say. */
  readonly rows?: Rows;
}

type Row<Kind extends RecordKindName, Type> = AuditRow<Extract<EventOf<Kind>, { readonly type: Type }>['data']>;
type Rows<Kind extends RecordKindName> = {
  readonly [Type in OwnEventTypeOf<Kind>]: Row<Kind, Type>;
} & {
  readonly [Type in Exclude<EventOf<Kind>['type'], OwnEventTypeOf<Kind>>]?: Partial<Row<Kind, Type>>;
};
type RowsOfOwn<Kind extends RecordKindName> = [OwnEventTypeOf<Kind>] extends [never]
  ? object
  : { readonly rows: Rows<Kind> };

/** The types of the commands that create, update and delete a record. */
export interface CommandTypes<Type extends string> {
  readonly creates: Type;
  readonly updates: Type;
  readonly deletes: Type;
}

export const recordCommands = <const Name extends string>(name: Name) =>
  ({ creates: `Create${name}`, updates: `Update${name}`, deletes: `Delete${name}` }) as const;

/** A record of whichever kind. */
export interface AnyRecord extends AnyRecordKind {
  readonly decider: object;
  readonly audit: Audit<Readonly<Record<string, Partial<AuditRow<never>>>>>;
}

/**
 * Returns what is decided about the records of a kind, and how the audit log shows it. An event whose effect is its own
 * does not compile without a row.
 */
export const defineRecord = <
  Kind extends RecordKindName,
  State,
  Commands extends DomainMessage,
  const Types extends Partial<CommandTypes<Commands['type']>>,
>(
  kind: Kind,
  definition: {
    readonly decider: Decider<State, Commands, EventOf<Kind>>;
    /** By what they do; others are actions. */
    readonly commands: Types;
    readonly audit: Audit<Rows<Kind>> & RowsOfOwn<Kind>;
  },
): RecordKinds[Kind] & typeof definition => ({ ...RECORD_KINDS[kind], ...definition });
