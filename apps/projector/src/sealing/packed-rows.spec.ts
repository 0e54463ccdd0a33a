import fc from 'fast-check';
import {
  chunkOfColumns,
  type SessionField,
  UNIT_FIELDS,
  UNITS,
  unitOfColumns,
} from '@ledgerline/contracts/read-models/session-days';
import { SessionGroups } from './packed-rows';

const LEAST = 4;

describe('the rows of a day', () => {
  it('have its sessions by country and device, in order, and no fewer than the least but where a large one is alone', () => {
    const session = fc.record({ country: fc.nat(5), device_type: fc.nat(1) });
    const chunks = fc.array(fc.array(session, { maxLength: 12 }), { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(chunks, (all) => {
        const rows = rowsOf(all);
        const sorted = all.flat().map(keyOf).sort();
        expect(rows.flat()).toEqual(sorted);
        for (const [nth, row] of rows.entries()) {
          const isLarge = (key: string | undefined) => sorted.filter((each) => each === key).length >= LEAST;
          if (row.some(isLarge)) expect(new Set(row).size).toBe(1);
          const next = rows[nth + 1];
          if (next && row.length < LEAST) expect(isLarge(next[0])).toBe(true);
          if (row.length >= LEAST) expect(row.filter((key) => key !== row.at(-1)).length).toBeLessThan(LEAST);
        }
      }),
      { seed: 63, numRuns: 200 },
    );
  });
});

interface Keys {
  readonly country: number;
  readonly device_type: number;
}

const keyOf = ({ country, device_type }: Keys): string => `${country} ${device_type}`;

/** The country and device of each session of each row. */
function rowsOf(chunks: readonly (readonly Keys[])[]): readonly (readonly string[])[] {
  const groups = new SessionGroups();
  for (const sessions of chunks) groups.add(chunkOf(sessions));
  return [...groups.rows(LEAST)].map(({ parts }) =>
    parts.flatMap(({ chunk, places }) => {
      const at = (name: keyof Keys, place: number) => chunk.field(name)[place] ?? -1;
      return places.map((place) => keyOf({ country: at('country', place), device_type: at('device_type', place) }));
    }),
  );
}

function chunkOf(sessions: readonly Keys[]) {
  const fields = (['country', 'device_type'] as const).map((name): readonly [SessionField, Int32Array] => [
    name,
    Int32Array.from(sessions, ({ [name]: value }) => value),
  ]);
  const none = (names: readonly string[]) =>
    unitOfColumns(new Int32Array(sessions.length), new Map(names.map((name) => [name, new Int32Array()])));
  return chunkOfColumns(
    sessions.length,
    new Map(fields),
    new Map(UNITS.map((unit) => [unit, none(UNIT_FIELDS[unit])])),
  );
}
