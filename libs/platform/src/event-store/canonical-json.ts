import type { Json } from '@ledgerline/contracts/json';

/**
 * RFC 8785: no white space, names sorted by UTF-16 code units, numbers and strings as ECMAScript writes them.
 * A lone surrogate, which the RFC leaves out, is written as its six-character escape; what JSON drops is dropped.
 */
export function canonicalJson(value: Json | undefined): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value ?? null);
  if (isList(value)) return `[${value.map((item) => canonicalJson(item)).join(',')}]`;
  let members = '';
  for (const name of Object.keys(value).sort()) {
    const member = value[name];
    if (member !== undefined) members += `${members === '' ? '' : ','}${JSON.stringify(name)}:${canonicalJson(member)}`;
  }
  return `{${members}}`;
}

const isList = (value: object): value is readonly Json[] => Array.isArray(value);
