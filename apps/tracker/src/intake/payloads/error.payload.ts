import { readPage } from '../../parse/page';
import { within } from './page-leave.payload';
import { bad, type Payload } from './payload';
import { itemSchema, number, payloadOf, text } from './schema';
import { cleanLines, cleanText } from '../../parse/text';

interface PageError {
  readonly path: string;
  readonly message: string;
  readonly stack?: string | null;
  readonly filename?: string | null;
  readonly lineno?: number | null;
  readonly colno?: number | null;
  readonly errorType?: string | null;
}

const MAX_STACK_BYTES = 8 * 1024;
const MAX_PLACE = 2 ** 31 - 1;

const check = itemSchema<PageError>(
  {
    path: { type: 'string' },
    message: { type: 'string' },
    stack: text,
    filename: text,
    lineno: number,
    colno: number,
    errorType: text,
  },
  ['path', 'message'],
);

/** A script of a page failed. @throws BadItem */
export function readError(item: unknown): Payload {
  const raw = check(item);
  const page = readPage(cleanText(raw.path, 2048) ?? '/');
  if (page === null) throw bad('path', 'must be an http(s) URL or a pathname');
  const message = cleanLines(raw.message, 2048);
  if (message === null) throw bad('message', 'must not be empty');
  const data = {
    path: page.path,
    message,
    stack: cutToBytes(cleanLines(raw.stack, MAX_STACK_BYTES), MAX_STACK_BYTES),
    filename: cleanText(raw.filename, 2048),
    line: place(raw.lineno),
    column: place(raw.colno),
    errorType: cleanText(raw.errorType, 256),
  };
  return payloadOf('error', raw, { type: 'ErrorRecorded', data });
}

function place(value: number | null | undefined): number | null {
  const known = within(value, MAX_PLACE);
  return known === null ? null : Math.round(known);
}

const encoder = new TextEncoder();

/** At most so many bytes of UTF-8, never part of a character. */
const cutToBytes = (lines: string | null, max: number): string | null =>
  lines && lines.slice(0, encoder.encodeInto(lines, new Uint8Array(max)).read).trimEnd();
