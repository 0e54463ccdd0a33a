import type { Json } from '@ledgerline/contracts/json';

/**
 * RFC 8785: no white space, names sorted by UTF-16 code units, numbers and strings as ECMAScript writes them.
 * A lone surrogate, which the RFC leaves out, is written as its six-character escape; what JSON drops is dropped.
 */
export function canonicalJson(value: Json | undefined): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value ?? null);
  if (isList(value)) return `[${value.map((item) => canonicalJson(item)).join(',')}]`;
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`);
  return `{${members.join(',')}}`;
}

const isList = (value: object): value is readonly Json[] => Array.isArray(value);
