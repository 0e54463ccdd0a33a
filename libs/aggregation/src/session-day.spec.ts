import * as fc from 'fast-check';
import {
  type Numbers,
  SESSION_FIELDS,
  type SessionChunk,
  UNITS,
  UNIT_FIELDS,
  chunkOfColumns,
  unitOfColumns,
} from '@ledgerline/contracts/read-models/session-days';
import { takeSessions } from './columns';
import { ALL_ZERO, ColumnReader, encodeIntegers } from './integer-column';
import { decodeSessions, encodeSessions, type PackedColumn } from './session-day';

const SEED = 28;
const integer = fc.oneof(
  fc.constant(0),
  fc.integer({ min: -1, max: 3 }),
  fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }),
  fc.integer({ min: -(2 ** 50), max: 2 ** 50 }),
);

describe('a column of integers', () => {
  it('is read as it was written, end to end with others', () => {
    fc.assert(
      fc.property(fc.array(fc.array(integer, { maxLength: 40 }), { maxLength: 5 }), (columns) => {
        const reader = new ColumnReader(
          Buffer.concat(columns.map((column) => encodeIntegers(Float64Array.from(column)))),
        );
        for (const column of columns) expect([...reader.read(column.length)]).toEqual(column);
        expect(() => reader.skip()).toThrow(RangeError);
      }),
      { seed: SEED },
    );
  });

  it('is read in some of its rows, behind and before others', () => {
    const columns = fc.array(fc.array(fc.tuple(integer, fc.boolean()), { minLength: 1, maxLength: 40 }), {
      maxLength: 5,
    });
    fc.assert(
      fc.property(columns, fc.nat(9), (all, begin) => {
        const encoded = all.map((column) => encodeIntegers(Float64Array.from(column, ([value]) => value)));
        const reader = new ColumnReader(Buffer.concat(encoded));
        for (const column of all) {
          const chosen = column.flatMap(([value, isWanted], nth) => (isWanted ? [{ value, row: begin + nth }] : []));
          const rows = Int32Array.from(chosen, ({ row }) => row);
          const read = reader.readRows(new Int32Array(rows.length), 0, rows.length, {
            rows,
            begin,
            count: column.length,
          });
          expect([...read]).toEqual(chosen.map(({ value }) => value));
        }
      }),
      { seed: SEED },
    );
  });

  it.each([
    ['nothing but zeros', [0, 0, 0, 0], 1],
    ['one number', new Array<number>(1000).fill(77), 5],
    ['few numbers', Array.from({ length: 1000 }, (_, at) => 1_000_000 + 1_000 * (at % 5)), 1_016],
    ['numbers beside each other', Array.from({ length: 1000 }, (_, at) => 5_000_000 + ((at * 7919) % 250)), 1_007],
    ['large numbers', Array.from({ length: 100 }, (_, at) => at * 2 ** 33), 604],
  ])('is short: %s', (_, values, bytes) => {
    expect(encodeIntegers(Float64Array.from(values)).length).toBeLessThanOrEqual(bytes);
  });

  it('refuses another layout and another count', () => {
    expect(() => new ColumnReader(new Uint8Array([64, 0, 0])).read(0)).toThrow('another layout');
    expect(() => new ColumnReader(encodeIntegers(Int32Array.of(1, 2))).read(3)).toThrow('2 numbers instead of 3');
  });
});

const DAY = 20_000;
const BEGIN = DAY * 86_400_000;

/** So many sessions with random fields and units. */
const sessions = (size: number): fc.Arbitrary<SessionChunk> =>
  fc
    .record({
      fields: fc.tuple(...SESSION_FIELDS.map(() => fc.array(integer, { minLength: size, maxLength: size }))),
      units: fc.tuple(
        ...UNITS.map((unit) =>
          fc.array(fc.array(fc.tuple(...UNIT_FIELDS[unit].map(() => integer)), { maxLength: 3 }), {
            minLength: size,
            maxLength: size,
          }),
        ),
      ),
    })
    .map(({ fields, units }) => {
      const columns = SESSION_FIELDS.map((name, at) => {
        const firstAt = Float64Array.from({ length: size }, (_, place) => BEGIN + 1000 * place);
        return [name, name === 'first_at' ? firstAt : numbers(fields[at] ?? [])] as const;
      });
      const parts = UNITS.map((unit, at) => {
        const each = units[at] ?? [];
        const counts = Int32Array.from(each, ({ length }) => length);
        const valuesOf = (field: number) => numbers(each.flatMap((of) => of.map((row) => row[field] ?? 0)));
        const named = UNIT_FIELDS[unit].map((name, field) => [name, valuesOf(field)] as const);
        return [unit, unitOfColumns(counts, new Map(named))] as const;
      });
      return chunkOfColumns(size, new Map(columns), new Map(parts));
    });

const numbers = (values: readonly number[]): Numbers => Float64Array.from(values);

describe('the sessions of a day', () => {
  it('are read as they were written, rows of several pieces together, and other chunks after them', () => {
    fc.assert(
      fc.property(someChunks, fc.nat(5), fc.nat(5), (all, a, b) => {
        expect(plain(decodedOf(all, a, b))).toEqual(joined(all.map(plain)));
      }),
      { seed: SEED, numRuns: 100 },
    );
  });

  it('are those at some places alone, as all of them have them', () => {
    fc.assert(
      fc.property(someChunks, fc.nat(5), fc.nat(5), fc.infiniteStream(fc.boolean()), (all, a, b, marks) => {
        const places = Int32Array.from({ length: all.reduce((sum, { size }) => sum + size, 0) }, (_, place) => place);
        const wanted = places.filter(() => marks.next().value === true);
        const { field, unit } = decodedOf(all, a, b);
        const taken = plain(takeSessions({ size: places.length, field, unit }, wanted));
        expect(plain(decodedOf(all, a, b).take(wanted))).toEqual(taken);
      }),
      { seed: SEED, numRuns: 100 },
    );
  });
});

const someChunks = fc.array(fc.nat(4).chain(sessions), { minLength: 1, maxLength: 5 });

/** Rows of two pieces up to two places, which may be the same, and other chunks after them. */
function decodedOf(all: readonly SessionChunk[], a: number, b: number) {
  const [cut = 0, packed = 0] = [a, b].map((place) => Math.min(place, all.length)).sort();
  const encoded = all.map((row, at) => new Map(encodeSessions(row, DAY + at)));
  const names: readonly PackedColumn[] = [...SESSION_FIELDS, ...UNITS];
  const parts = [
    { from: 0, to: cut },
    { from: cut, to: packed },
  ].map(({ from, to }) => {
    const bytes = (name: PackedColumn) =>
      Buffer.concat(encoded.slice(from, to).map((row) => row.get(name) ?? ALL_ZERO));
    return { from, to, columns: new Map(names.map((name) => [name, bytes(name)])) };
  });
  const rows = {
    size: Int32Array.from(all, ({ size }) => size),
    day: Int32Array.from(all, (_, at) => DAY + at),
  };
  return decodeSessions(rows, parts, all.slice(packed));
}

const joined = (all: readonly Record<string, number[]>[]): Record<string, number[]> =>
  Object.fromEntries(Object.keys(all[0] ?? {}).map((name) => [name, all.flatMap((each) => each[name] ?? [])]));

function plain({ field, unit }: SessionChunk) {
  const columns = SESSION_FIELDS.map((name) => [name, [...field(name)]]);
  const parts = UNITS.flatMap((name) => [
    [`${name} counts`, [...unit(name).counts]],
    ...UNIT_FIELDS[name].map((of) => [`${name} ${of}`, [...unit(name).field(of)]]),
  ]);
  return Object.fromEntries([...columns, ...parts]) as Record<string, number[]>;
}
