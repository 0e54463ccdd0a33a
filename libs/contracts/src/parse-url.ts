/**
 * The address that a text is, seen from `base` if it is relative, or null. `URL.canParse` must not be used instead: once V8 has optimized its caller, Node 20
 * and 22 answer false for every text with a letter such as ü.
 */
export function parseUrl(text: string, base?: URL): URL | null {
  try {
    return new URL(text, base);
  } catch {
    return null;
  }
}

/** The name of a host in lower case, without the dot of the root. */
export const normalHost = (hostname: string): string => hostname.toLowerCase().replace(/\.+$/, '');

/** The host of a web address, the whole of any other one such as `app://callback`, in ASCII; empty for what is no address. */
export function hostOf(address: string): string {
  const url = parseUrl(address);
  return url ? (/^https?:$/.test(url.protocol) ? url.host : url.href) : '';
}
