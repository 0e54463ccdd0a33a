import type { Json } from '@ledgerline/contracts/json';

/**
 * RFC 8785: no white space, names sorted by UTF-16 code units, numbers and strings as ECMAScript writes them.
 * A lone surrogate, which the RFC leaves out, is written as its six-character escape; what JSON drops is dropped.
 */
export function canonicalJson(value: Json | undefined): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value ?? null);
  if (isList(value)) return `[${value.map((item) => canonicalJson(item)).join(',')}]`;
  const members = Object.keys(value)
    .sort()
    .filter((name) => value[name] !== undefined)
    .map((name) => `${JSON.stringify(name)}:${canonicalJson(value[name])}`);
  return `{${members.join(',')}}`;
}

const isList = (value: object): value is readonly Json[] => Array.isArray(value);
