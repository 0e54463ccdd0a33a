import { parseUrl } from '@ledgerline/contracts/parse-url';

/** In the characters that are sent: those beyond ASCII are several each. */
export const MAX_ADDRESS_LENGTH = 2048;
export const MAX_TARGET_LENGTH = 8192;

/** True for an absolute http(s) address without user name or password, white space or broken characters. */
export const isWebAddress = (text: string, maxLength?: number): boolean =>
  wrongInAddress(text, maxLength) === undefined;

/** What an address must be or must not hold; undefined for one that is right. */
export function wrongInAddress(text: string, maxLength = MAX_ADDRESS_LENGTH): string | undefined {
  const tooLong = `must have at most ${maxLength} characters, percent-encoded`;
  if (text.length > maxLength) return tooLong;
  if (!/^https?:\/\//i.test(text)) return NO_ADDRESS;
  if (/[\s\p{Cc}\p{Cs}]/u.test(text)) return 'must not hold white space, control characters or halves of characters';
  const url = parseUrl(text);
  if (url === null || url.hostname === '') return NO_ADDRESS;
  if (url.username !== '' || url.password !== '') return 'must not hold a user name or password';
  return url.href.length > maxLength ? tooLong : undefined;
}

export const NO_ADDRESS = 'must be an http(s) address';

/** As people paste it: white space around it is cut off, and inside percent-encoded. */
export const pastedAddress = (text: string): string => text.trim().replace(/\s/g, encodeURIComponent);
