import { normalHost, parseUrl } from '@ledgerline/contracts/parse-url';

const LABEL = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/;

/**
 * The host name in what people type for a domain, in lower case and without scheme, port or path; international names
 * in their ASCII form. Undefined when there is none.
 */
export function domainNameOf(text: string): string | undefined {
  const typed = text.trim();
  const address = /^[a-z][a-z0-9+.-]*:\/\//i.test(typed) ? typed : `http://${typed}`;
  const url = /^https?:/i.test(address) ? parseUrl(address) : null;
  if (url === null) return undefined;
  const { hostname, username } = url;
  const name = normalHost(hostname);
  return username === '' && isHostName(name) ? name : undefined;
}

const isHostName = (name: string): boolean => name.length <= 253 && name.split('.').every((label) => LABEL.test(label));
