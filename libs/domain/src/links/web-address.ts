export const MAX_ADDRESS_LENGTH = 2048;

/** True for an absolute http(s) address without user name or password, white space or broken characters. */
export function isWebAddress(text: string): boolean {
  if (text.length > MAX_ADDRESS_LENGTH || !/^https?:\/\/[^\s\p{Cc}\p{Cs}]+$/iu.test(text) || !URL.canParse(text))
    return false;
  const { hostname, username, password } = new URL(text);
  return hostname !== '' && username === '' && password === '';
}
