import {
  chunkOfColumns,
  type Numbers,
  SESSION_FIELDS,
  type SessionChunk,
  type SessionField,
  type Unit,
  UNIT_FIELDS,
  UNITS,
  unitOfColumns,
} from '@ledgerline/contracts/read-models/session-days';
import { someRequest } from '@test/query/selected-sessions';
import { ALL_ZERO, ColumnReader } from './integer-column';
import type { CountPlan } from './plan';
import type { SelectingFilter } from './scope';
import { encodeSessions } from './session-day';
import { countTask } from './tasks';

const DAYS = 4;
const SESSIONS = 50;
const VIEWS = 3;
const DAY_MS = 86_400_000;
const WANTED = {
  fields: ['visitor', 'first_at', 'duration_ms', 'flags', 'browser_name', 'referrer', 'os_name', 'country'],
  units: ['views'],
} as const;
/** The browser of one session of each day. */
const RARE = 7;
/** The browser of all others. */
const USUAL = 9;

function sessionsOf(day: number): SessionChunk {
  const value = (name: SessionField, nth: number): number => {
    if (name === 'first_at') return DAY_MS * day + 1000 * nth;
    if (name === 'browser_name') return nth === day ? RARE : USUAL;
    return name === 'flags' ? 0 : 100 + ((nth * 31) % 17);
  };
  const fields = SESSION_FIELDS.map(
    (name) => [name, Float64Array.from({ length: SESSIONS }, (_, nth) => value(name, nth))] as const,
  );
  const unitsOf = (unit: Unit) => {
    const each = unit === 'views' ? VIEWS : 0;
    const size = SESSIONS * each;
    const at = (nth: number) => DAY_MS * day + 1000 * Math.floor(nth / VIEWS) + (nth % VIEWS);
    const column = (name: string): Numbers =>
      Float64Array.from({ length: size }, (_, nth) => (name === 'at' ? at(nth) : 200 + (nth % 11)));
    return unitOfColumns(
      new Int32Array(SESSIONS).fill(each),
      new Map(UNIT_FIELDS[unit].map((name) => [name, column(name)])),
    );
  };
  return chunkOfColumns(SESSIONS, new Map(fields), new Map(UNITS.map((unit) => [unit, unitsOf(unit)])));
}

const ENCODED = Array.from({ length: DAYS }, (_, day) => new Map(encodeSessions(sessionsOf(day), day)));

const listBy = (key: string): CountPlan => ({
  kind: 'aggregate',
  aggregate: {
    of: 'views',
    by: { value: key },
    measures: { views: 'count', visitors: 'visitors', sessions: 'sessions' },
  },
});

/** Counts how many numbers are decoded for plans that are asked for at once. */
function numbersRead(plans: readonly CountPlan[], filters: readonly SelectingFilter[] = []): number {
  const request = someRequest({ from: 0, to: DAYS * DAY_MS, filters });
  const columns = new Map(
    [...WANTED.fields, ...WANTED.units].map((name) => [
      name,
      Buffer.concat(ENCODED.map((row) => row.get(name) ?? ALL_ZERO)),
    ]),
  );
  const rows = {
    size: new Int32Array(DAYS).fill(SESSIONS),
    day: Int32Array.from({ length: DAYS }, (_, day) => day),
  };
  let numbers = 0;
  const add = (_values: Numbers, from: number, to: number) => void (numbers += to - from);
  const spies = (['readInto', 'readRows'] as const).map((name) => {
    const original = ColumnReader.prototype[name];
    return jest.spyOn(ColumnReader.prototype, name).mockImplementation(function (this: ColumnReader, ...given) {
      add(...(given as unknown as Parameters<typeof add>)); // both begin with these
      return Reflect.apply(original, this, given) as Numbers;
    });
  });
  try {
    const counted = countTask({
      plans: plans.map((plan) => ({ plan, request, lookup: [] })),
      isDropped: new Int32Array(1),
      wanted: WANTED,
      rows,
      pieces: [{ from: 0, to: DAYS, columns }],
      slices: [],
    });
    for (const table of counted) expect(table).toMatchObject({ size: expect.any(Number) as number });
    return numbers;
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
}

const SIX = ['path', 'referrer', 'browser_name', 'os_name', 'country', 'hostname'].map(listBy);

describe('the plans of a task', () => {
  it('read each column once: a further one of the same columns reads nothing again', () => {
    expect(numbersRead([...SIX, listBy('path')])).toBe(numbersRead(SIX));
  });

  it('read nothing of the sessions that filters leave out but what filters are about', () => {
    const filters = [{ field: 'browser_name', values: [RARE], negated: false }];
    const sessions = DAYS * SESSIONS;
    const ofFilters = 3 * sessions; // the browser, the flags and the counts of page views
    const ofSession = WANTED.fields.length;
    const ofView = UNIT_FIELDS.views.length;
    expect(numbersRead(SIX, filters)).toBeLessThanOrEqual(ofFilters + DAYS * (ofSession + VIEWS * ofView));
  });
});
