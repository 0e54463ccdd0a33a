import { Rejection, type RejectionFact } from '@ledgerline/contracts/errors/rejection';
import type { AnyRecordKind } from '@ledgerline/contracts/record-kind';
import { type DetailsOf, type EventOf, type RecordKindName, RECORD_KINDS } from '@ledgerline/contracts/record-kinds';
import { type Command, type Decider, type DomainMessage, applyChanges, omit } from './decider';

/** The records of a stream by id: it holds all of a kind that may not share a name. */
type Records<Details> = ReadonlyMap<string, Details>;

/** The commands about records of a kind. */
export type NamedRecordCommand<Name extends string, Id extends string, Details extends object> =
  | Command<`Create${Name}`, Details & Readonly<Record<Id, string>>>
  | Command<`Update${Name}`, Readonly<Record<Id, string>> & { readonly changes: Partial<Details> }>
  | Command<`Delete${Name}`, Readonly<Record<Id, string>>>;

interface Rules<Details> {
  /** @throws Rejection for what no record may be */
  readonly assertValid?: (details: Details) => void;
  /** Why there are no more than a stream may hold. */
  readonly full?: RejectionFact;
}

/** Records that share a stream, in which each has a name of its own; those without a name are as many as they like. */
export function namedRecords<Kind extends RecordKindName, Commands extends DomainMessage>(
  kind: Kind,
  { assertValid, full = 'DEFINITIONS_FULL' }: Rules<DetailsOf<Kind>> = {},
): Decider<Records<DetailsOf<Kind>>, Commands, EventOf<Kind>> {
  type Details = DetailsOf<Kind>;
  type Change = Readonly<Record<string, string>> & { readonly changes: Partial<Details> };
  const { name, id, events, atMost = Infinity }: AnyRecordKind = RECORD_KINDS[kind];
  const [created = '', updated = '', deleted = ''] = Object.keys(events);
  const fact = (what: 'EXISTS' | 'NOT_FOUND') => `${name.toUpperCase()}_${what}` as RejectionFact; // two for each kind
  const idIn = (data: object) => String(Reflect.get(data, id) ?? '');

  const existing = (records: Records<Details>, data: object): Details => {
    const details = records.get(idIn(data));
    if (!details) throw new Rejection(fact('NOT_FOUND'));
    return details;
  };
  const assertMayBe = (records: Records<Details>, details: Details) => {
    assertNameIsFree(records, idIn(details), details);
    assertValid?.(details);
  };
  const including = (records: Records<Details>, details: Details) => new Map(records).set(idIn(details), details);

  const [create, update, remove] = ['Create', 'Update', 'Delete'].map((verb) =>
    created.replace(/^(.*)Created$/, `${verb}$1`),
  );
  const rules = {
    initial: new Map<string, Details>(),
    decide: {
      [create ?? '']: (records: Records<Details>, data: Details) => {
        if (records.has(idIn(data))) throw new Rejection(fact('EXISTS'));
        if (records.size >= atMost) throw new Rejection(full);
        assertMayBe(records, data);
        return [{ type: created, data }];
      },
      [update ?? '']: (records: Records<Details>, { changes, ...data }: Change) => {
        const details = applyChanges(existing(records, data), changes);
        if (!details) return [];
        assertMayBe(records, details);
        return [{ type: updated, data: details }];
      },
      [remove ?? '']: (records: Records<Details>, data: object) => [{ type: deleted, data: existing(records, data) }],
    },
    evolve: {
      [created]: including,
      [updated]: (records: Records<Details>, data: Details & { readonly before: object }) =>
        including(records, omit(data, 'before') as object as Details),
      [deleted]: (records: Records<Details>, data: object) =>
        new Map([...records].filter(([each]) => each !== idIn(data))),
    },
  };
  return rules as unknown as ReturnType<typeof namedRecords<Kind, Commands>>; // the types are those of the kind's lifecycle
}

function assertNameIsFree(records: Records<object>, id: string, details: object): void {
  const name = nameOf(details);
  for (const [other, held] of records)
    if (other !== id && name !== null && nameOf(held) === name) throw new Rejection('NAME_TAKEN', 'name');
}

const nameOf = (details: object): unknown => ('name' in details ? (details.name ?? null) : null);
