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

/** The profile of somebody who signs in. */
interface Profile {
  readonly profileId: string;
  readonly traits: Readonly<Record<string, string>>;
}

const STREAM = 1;
const ONE_OF = 12;
const FIRST_NAMES = ['Ada', 'Alan', 'Barbara', 'Donald', 'Edsger', 'Grace', 'Leslie', 'Margaret'] as const;
const LAST_NAMES = ['Abel', 'Brown', 'Costa', 'Dubois', 'Evans', 'Fischer', 'Garcia'] as const;
const PLANS = ['free', 'pro', 'team'] as const;

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

/** Every twelfth person signs in, always as the same; null = does not. */
export function profileOf({ number, key }: Person): Profile | null {
  if (number % ONE_OF !== 0) return null;
  const at = number / ONE_OF;
  const name = `${FIRST_NAMES[at % FIRST_NAMES.length] ?? ''} ${LAST_NAMES[at % LAST_NAMES.length] ?? ''}`;
  const email = `${name.toLowerCase().replace(' ', '.')}.${number % 100_000}@example.org`;
  return { profileId: `user-${key.slice(0, 12)}`, traits: { name, email, plan: PLANS[at % PLANS.length] ?? '' } };
}
