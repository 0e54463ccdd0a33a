/** A line of RFC 4180: CRLF at its end, quotes where needed; null is empty, and what is deeper is JSON. */
export const csvLine = (cells: readonly unknown[]): string => `${cells.map(cellOf).join(',')}\r\n`;

/**
 * Spreadsheets run a text that begins with one of these as a formula, and what other people have sent must not run
 * anywhere: such a text gets an apostrophe in front.
 */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/;

function cellOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return quoted(FORMULA.test(text) ? `'${text}` : text);
}

const quoted = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
