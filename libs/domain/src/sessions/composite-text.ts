import { PART_SEPARATOR } from '@ledgerline/contracts/read-models/dictionary';

/** A region or city as read models hold it: its name alone says too little. Null of an unknown one. */
export const placeText = (country: string | null, place: string | null): string | null =>
  place === null || place === '' ? null : `${country ?? ''}${PART_SEPARATOR}${place}`;

/** A version of a browser as read models hold it; null of an unknown browser. */
export const browserVersionText = (browser: string | null, version: string | null): string | null =>
  browser === null || browser === '' ? null : `${browser}${PART_SEPARATOR}${version ?? ''}`;

/** The parts of such a text, '' for one that is missing. */
export function partsOfText(text: string): readonly [first: string, second: string] {
  const [first = '', second = ''] = text.split(PART_SEPARATOR);
  return [first, second];
}
