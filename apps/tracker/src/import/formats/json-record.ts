/** A line of JSON: the names of its fields with their values. */
export type JsonRecord = Readonly<Record<string, unknown>>;

/** A byte as nginx escapes it where a `log_format` of JSON lacks `escape=json`. */
const BYTE = /\\x([0-9A-Fa-f]{2})/g;

/** The record of a line; null for what is no JSON object. */
export function parseRecord(line: string): JsonRecord | null {
  if (!line.startsWith('{')) return null;
  const value = parsed(line) ?? (line.includes('\\x') ? parsed(line.replace(BYTE, '%$1')) : undefined);
  return isJsonRecord(value) ? value : null;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // no JSON: it may be in another format
  }
}

export const isJsonRecord = (value: unknown): value is JsonRecord =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A string, a number, or the first of several; undefined for anything else. */
export function textOfJsonValue(value: unknown): string | undefined {
  if (Array.isArray(value)) return textOfJsonValue(value[0]);
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' ? value : undefined;
}

/** The first of these fields that is there, as text. */
export const firstText = (record: JsonRecord, names: readonly string[]): string | undefined => {
  for (const name of names) {
    const text = textOfJsonValue(record[name]);
    if (text !== undefined) return text;
  }
  return undefined;
};

/** Returns whether it is what a server reports about itself. */
export const isMessage = ({ level, msg, message = msg, status }: JsonRecord): boolean =>
  typeof level === 'string' && typeof message === 'string' && message !== '' && status === undefined;
