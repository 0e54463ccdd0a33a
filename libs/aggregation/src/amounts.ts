import { isDecimal } from '@ledgerline/contracts/criterion';
import { textOfJson } from './compiled-condition';

/** A decimal to the last digit: so many units of ten to the power of minus the scale. */
interface Decimal {
  readonly units: bigint;
  readonly scale: number;
}

/** Digits after the point beyond these are none of any JSON number. */
const MAX_SCALE = 1_100;
/** The greatest amount that can be read, negative ones too. */
const MAX_AMOUNT = 10n ** 15n;

/** The amount of a text; undefined for one that is none, or too great. */
export function parseDecimal(text: string): Decimal | undefined {
  if (!isDecimal(text) || Math.abs(Number(text)) > Number(MAX_AMOUNT)) return undefined;
  const [digits = '', exponent = '0'] = text.toLowerCase().split('e');
  const [whole = '', fraction = ''] = digits.split('.');
  const units = BigInt(whole + fraction);
  const scale = fraction.length - Number(exponent);
  if (units === 0n || scale > MAX_SCALE + digits.length) return { units: 0n, scale: 0 };
  const amount = scale < 0 ? { units: units * 10n ** BigInt(-scale), scale: 0 } : { units, scale };
  const most = scaled({ units: MAX_AMOUNT, scale: 0 }, amount.scale);
  return amount.units > most || amount.units < -most ? undefined : amount;
}

export const numberOf = ({ units, scale }: Decimal): number => Number(`${units}e-${scale}`);

const scaled = ({ units, scale }: Decimal, to: number): bigint => units * 10n ** BigInt(to - scale);

function added(a: Decimal, b: Decimal): Decimal {
  const scale = Math.max(a.scale, b.scale);
  return { units: scaled(a, scale) + scaled(b, scale), scale };
}

function compared(a: Decimal, b: Decimal): number {
  const scale = Math.max(a.scale, b.scale);
  const difference = scaled(a, scale) - scaled(b, scale);
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

const DIGITS = 4;

/** The millionths of one conversion: conversions are shared among links. */
export const MICROS_PER_CONVERSION = 1_000_000;
const WHOLE_DIGITS = 6;

/** Returns the average of so many millionths of conversions, with four decimals, halves away from zero. */
function averageOf({ units, scale }: Decimal, count: number): number {
  const dividend = units * 10n ** BigInt(DIGITS + WHOLE_DIGITS);
  const divisor = BigInt(count) * 10n ** BigInt(scale);
  const half = dividend < 0n ? -divisor : divisor;
  return Number(`${(2n * dividend + half) / (2n * divisor)}e-${DIGITS}`);
}

/** The worth of conversions in one currency. */
interface Revenue {
  /** Null = unknown. */
  readonly currency: string | null;
  /** The nearest JSON number to the exact one. */
  readonly sum: number;
  /**
   * The number of conversions that have an amount, and without one that is a number; of shared conversions to the
   * millionth.
   */
  readonly events: number;
  readonly unreadable: number;
}

/** The figures of events with an amount. */
interface RevenueFigures extends Revenue {
  readonly visitors: number;
  /** Null of none. */
  readonly average: number | null;
  /** The median; of an even number the lower one. */
  readonly median: number | null;
}

/** Adds up amounts by currency. */
export class Revenues {
  /** Amounts and what is unreadable in millionths. */
  private readonly byCurrency = new Map<
    string | null,
    { amounts: Map<string, number>; unreadable: number; visitors: Set<number> }
  >();

  /**
   * @param amount as JSON; undefined = the event has none
   * @param currency as JSON or as it was defined
   * @param visitor -1 = none
   * @param share in millionths
   */
  add(amount: string | undefined, currency: string | undefined, visitor: number, share = MICROS_PER_CONVERSION): void {
    if (amount === undefined || amount === 'null') return;
    const name = currencyOf(currency);
    const own = this.byCurrency.get(name) ?? {
      amounts: new Map<string, number>(),
      unreadable: 0,
      visitors: new Set<number>(),
    };
    this.byCurrency.set(name, own);
    const text = textOfJson(amount);
    if (!parseDecimal(text)) return void (own.unreadable += share);
    own.amounts.set(text, (own.amounts.get(text) ?? 0) + share);
    if (visitor >= 0) own.visitors.add(visitor);
  }

  /** By currency, the unknown one last. */
  get figures(): readonly RevenueFigures[] {
    const currencies = [...this.byCurrency].sort(([a], [b]) => (a === null ? 1 : b === null ? -1 : a < b ? -1 : 1));
    return currencies.map(([currency, { amounts, unreadable, visitors }]) => {
      const sorted = [...amounts]
        .map(([text, times]) => ({ times, amount: parseDecimal(text) ?? NOTHING }))
        .sort((a, b) => compared(a.amount, b.amount));
      const count = sorted.reduce((sum, { times }) => sum + times, 0);
      const sum = sorted.reduce(
        (all, { times, amount: { units, scale } }) =>
          added(all, { units: units * BigInt(times), scale: scale + WHOLE_DIGITS }),
        NOTHING,
      );
      const events = { events: count / MICROS_PER_CONVERSION, unreadable: unreadable / MICROS_PER_CONVERSION };
      return {
        currency,
        sum: numberOf(sum),
        ...events,
        visitors: visitors.size,
        average: count === 0 ? null : averageOf(sum, count),
        median: medianOf(sorted, count),
      };
    });
  }

  get rows(): readonly Revenue[] {
    return this.figures.map(({ currency, sum, events, unreadable }) => ({ currency, sum, events, unreadable }));
  }
}

const NOTHING: Decimal = { units: 0n, scale: 0 };

function medianOf(
  sorted: readonly { readonly times: number; readonly amount: Decimal }[],
  count: number,
): number | null {
  let rank = Math.floor((count - 1) / 2);
  for (const { times, amount } of sorted) {
    if (rank < times) return numberOf(amount);
    rank -= times;
  }
  return null;
}

/** Three capital letters; null for anything else. */
function currencyOf(json: string | undefined): string | null {
  const text = json === undefined ? '' : textOfJson(json).trim().toUpperCase();
  return /^[A-Z]{3}$/.test(text) ? text : null;
}
