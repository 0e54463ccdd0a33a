import type { AnswerRow } from '@ledgerline/domain/query/rows';

/** Without it spreadsheets read a file as in the encoding of their system. */
export const BYTE_ORDER_MARK = '\ufeff';

/** A line of RFC 4180: CRLF at its end, quotes where needed; null is empty. */
export const csvLine = (cells: readonly unknown[]): string => `${cells.map(cellOf).join(',')}\r\n`;

/**
 * Spreadsheets run a text that begins with one of these as a formula, and what other people have sent must not run
 * anywhere: such a text gets an apostrophe in front, unless it is a number.
 */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/;
const NEGATIVE = /^-\d+(\.\d+)?$/;

function cellOf(value: unknown): string {
  if (typeof value === 'number') return String(value);
  const text = textOf(value);
  return quoted(FORMULA.test(text) && !NEGATIVE.test(text) ? `'${text}` : text);
}

const quoted = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/** Deeper values are `plan=pro; size.width=2`, the elements of a list `a | b`. */
function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return value.map(textOf).join(' | ');
  if (isObject(value)) return membersOf(value).join('; ');
  return typeof value === 'string' ? value : JSON.stringify(value);
}

const isObject = (value: unknown): value is AnswerRow =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const membersOf = (value: AnswerRow, path = ''): readonly string[] =>
  Object.entries(value).flatMap(([name, member]) => {
    if (member === null || member === undefined) return [];
    return isObject(member) ? membersOf(member, `${path}${name}.`) : [`${path}${name}=${textOf(member)}`];
  });

/** The header that has a file saved under these words. */
export function attachment(words: readonly string[], ending: string): string {
  const name = `${words.map(wordIn).filter(Boolean).join('_')}.${ending}`;
  const plain = name.normalize('NFKD').replaceAll(/[^\w.-]/g, '');
  return `attachment; filename="${plain}"; filename*=UTF-8''${encodeURIComponent(name)}`;
}

const wordIn = (text: string): string => text.replaceAll(/[^\p{L}\p{M}\p{N}_]+/gu, '-').replaceAll(/^-|-$/g, '');
