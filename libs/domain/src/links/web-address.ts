import { parseUrl } from '@ledgerline/contracts/parse-url';

export const MAX_ADDRESS_LENGTH = 2048;

/** True for an absolute http(s) address without user name or password, white space or broken characters. */
export function isWebAddress(text: string): boolean {
  if (text.length > MAX_ADDRESS_LENGTH || !/^https?:\/\/[^\s\p{Cc}\p{Cs}]+$/iu.test(text)) return false;
  const url = parseUrl(text);
  if (url === null) return false;
  const { hostname, username, password } = url;
  return hostname !== '' && username === '' && password === '';
}
