import { someBrowser, type Browser } from './browsers';
import { somePlace, type Place } from './places';
import { Random } from './random';

/** One person: the same number and seed always give the same person. */
export interface Person {
  readonly number: number;
  /** 32 hexadecimal digits, unique per person; the browser's id. */
  readonly key: string;
  readonly browser: Browser;
  readonly place: Place;
  /** IPv4, in the network of the place. */
  readonly address: string;
}

const STREAM = 1;

export function person(seed: number, number: number): Person {
  const random = new Random(seed, STREAM, number);
  const place = somePlace(random);
  return {
    number,
    key: random.hex(32),
    browser: someBrowser(random),
    place,
    address: `${place.network}.${1 + random.below(254)}`,
  };
}
