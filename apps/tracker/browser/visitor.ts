import { randomId } from './random-id';

const KEY = 'ledgerline';

/** The id of this browser, where the page keeps one: without it the tracking host makes one that lives for a day. */
export function visitorId(isKept: boolean): string | undefined {
  if (!isKept) return undefined;
  try {
    const known = localStorage.getItem(KEY) ?? randomId();
    localStorage.setItem(KEY, known);
    return known;
  } catch {
    return undefined; // storage is switched off
  }
}
