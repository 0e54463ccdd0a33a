import { MAX_STACK_BYTES } from '@ledgerline/contracts/intake-limits';
import { cleanLines, cleanText } from '../../parse/text';
import { itemSchema, number, requiredText, text } from './fields';
import { bad, type Payload } from './payload';
import { payloadOf, requiredPage, wholeWithin } from './values';

const MAX_PLACE = 2 ** 31 - 1;

const check = itemSchema({
  path: requiredText,
  message: requiredText,
  stack: text,
  filename: text,
  lineno: number,
  colno: number,
  errorType: text,
});

/** A script of a page failed. @throws BadItem */
export function readError(item: unknown): Payload {
  const raw = check(item);
  const { path } = requiredPage(raw.path);
  const message = cleanLines(raw.message, 2048);
  if (message === null) throw bad('message', 'must not be empty');
  const data = {
    path,
    message,
    stack: cutToBytes(cleanLines(raw.stack, MAX_STACK_BYTES), MAX_STACK_BYTES),
    filename: cleanText(raw.filename, 2048),
    line: wholeWithin(raw.lineno, MAX_PLACE),
    column: wholeWithin(raw.colno, MAX_PLACE),
    errorType: cleanText(raw.errorType, 256),
  };
  return payloadOf('error', raw, { type: 'ErrorRecorded', data });
}

const encoder = new TextEncoder();

/** At most so many bytes of UTF-8, never part of a character. */
const cutToBytes = (lines: string | null, max: number): string | null =>
  lines && lines.slice(0, encoder.encodeInto(lines, new Uint8Array(max)).read).trimEnd();
