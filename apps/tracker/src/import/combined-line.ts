/** One line of an access log in the combined format of Apache and nginx. */
export interface CombinedLine {
  readonly address: string;
  /** Epoch ms. */
  readonly at: number;
  readonly method: string;
  /** As requested: a path with its query string, or a full URL. */
  readonly target: string;
  readonly status: number;
  /** null = none. */
  readonly referrer: string | null;
  readonly userAgent: string | null;
}

/** What the common and the combined format begin with. */
const COMMON =
  /^(\S+) \S+ .*?\[(\d{2})\/([A-Z][a-z]{2})\/(\d{4}):(\d{2}):(\d{2}):(\d{2}) ([+-])(\d{2})(\d{2})\] "([A-Z]+) (\S+)[^"]*" (\d{3}) \S+/;
const LINE = new RegExp(`${COMMON.source} "((?:[^"\\\\]|\\\\.)*)" "((?:[^"\\\\]|\\\\.)*)"`);
const COMMON_ALONE = new RegExp(`${COMMON.source}\\s*$`);

/** Whether it is in the common format: without referrer and user agent. */
export const isCommonLine = (line: string): boolean => COMMON_ALONE.test(line);

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** A parsed line, or null when it is not in that format. */
export function parseCombinedLine(line: string): CombinedLine | null {
  const match = LINE.exec(line);
  if (match === null) return null;
  const [, address = '', , , , , , , , , , method = '', target = '', status = '', referrer = '', userAgent = ''] =
    match;
  const at = timeOf(match.slice(2, 11));
  if (at === null) return null;
  return {
    address,
    at,
    method,
    target,
    status: Number(status),
    referrer: field(referrer),
    userAgent: field(userAgent),
  };
}

function timeOf(parts: readonly string[]): number | null {
  const [day, month = '', year, hour, minute, second, sign, zoneHours, zoneMinutes] = parts;
  const monthNumber = MONTHS.indexOf(month);
  const local = Date.UTC(Number(year), monthNumber, Number(day), Number(hour), Number(minute), Number(second));
  if (monthNumber === -1 || new Date(local).getUTCDate() !== Number(day)) return null;
  const offset = (Number(zoneHours) * 60 + Number(zoneMinutes)) * 60_000;
  return sign === '-' ? local + offset : local - offset;
}

const field = (text: string): string | null =>
  text === '-' || text === '' ? null : text.includes('\\') ? text.replace(/\\(["\\])/g, '$1') : text;
