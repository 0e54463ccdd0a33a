import { SqlMigration } from './sql-migration';

/** Deduplication and append in one call, for sends that are new as a whole, which nearly all are. */
export class IntakeStore1764000000940 extends SqlMigration {
  protected readonly statements = STORE;
}

/** Appends the segments if all keys are new; otherwise only says, in one row, which of them are. */
const STORE = `
  create function intake_store(
    keys uuid[], forever uuid[], at timestamptz,
    partitions integer[], counts integer[], types text[], format smallint, sizes integer[],
    min_ats bigint[], max_ats bigint[], lengths integer[], payloads bytea
  ) returns table (fresh uuid[], at_partition integer, at_offset bigint, at_newest bigint, with_chain bytea)
  language plpgsql as $$
  begin
    if cardinality(keys) > 0 then
      fresh := intake_first_seen(keys, forever, at);
      if cardinality(fresh) < cardinality(keys) then
        return next;
        return;
      end if;
    end if;
    return query select null::uuid[], placed.* from intake_append(
      partitions, counts, types, format, sizes, min_ats, max_ats, lengths, payloads
    ) placed;
  end $$;
`;
