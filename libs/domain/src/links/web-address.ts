import { parseUrl } from '@ledgerline/contracts/parse-url';

export const MAX_ADDRESS_LENGTH = 2048;

/** True for an absolute http(s) address without user name or password, white space or broken characters. */
export const isWebAddress = (text: string): boolean => wrongInAddress(text) === undefined;

/** What an address must be or must not hold; undefined for one that is right. */
export function wrongInAddress(text: string): string | undefined {
  if (text.length > MAX_ADDRESS_LENGTH) return `must have at most ${MAX_ADDRESS_LENGTH} characters`;
  if (!/^https?:\/\//i.test(text)) return NO_ADDRESS;
  if (/[\s\p{Cc}\p{Cs}]/u.test(text)) return 'must not hold white space, control characters or halves of characters';
  const url = parseUrl(text);
  if (url === null || url.hostname === '') return NO_ADDRESS;
  return url.username === '' && url.password === '' ? undefined : 'must not hold a user name or password';
}

export const NO_ADDRESS = 'must be an http(s) address';
