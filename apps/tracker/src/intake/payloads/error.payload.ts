import { MAX_STACK_BYTES } from '@ledgerline/contracts/intake-limits';
import { cleanLines, cleanText } from '../../parse/text';
import { anything, each, itemSchema, requiredText } from './fields';
import type { Payload } from './payload';
import { payloadOf, requiredPage, wholeWithin } from './values';

const MAX_PLACE = 2 ** 31 - 1;

/** Pages throw anything: of what else an error says, what can be read is recorded. */
const FIELDS = ['message', 'stack', 'filename', 'lineno', 'colno', 'errorType'] as const;

const check = itemSchema({ path: requiredText, ...each(FIELDS, anything) });

/** A script of a page failed. @throws BadItem */
export function readError(item: unknown): Payload {
  const raw = check(item);
  const { path } = requiredPage(raw.path);
  const errorType = cleanText(textOf(raw.errorType), 256);
  const data = {
    path,
    message: cleanLines(textOf(raw.message), 2048) ?? errorType ?? 'Error without a message',
    stack: cutToBytes(cleanLines(textOf(raw.stack), MAX_STACK_BYTES), MAX_STACK_BYTES),
    filename: cleanText(textOf(raw.filename), 2048),
    line: positionOf(raw.lineno),
    column: positionOf(raw.colno),
    errorType,
  };
  return payloadOf('error', raw, { type: 'ErrorRecorded', data });
}

/** As JSON what is no text. */
const textOf = (value: unknown): string | null =>
  typeof value === 'string' || value === undefined || value === null ? (value ?? null) : JSON.stringify(value);

/** A number, or a text of one. */
function positionOf(value: unknown): number | null {
  const position = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof position === 'number' && Number.isFinite(position) ? wholeWithin(position, MAX_PLACE) : null;
}

const encoder = new TextEncoder();

/** At most so many bytes of UTF-8, never part of a character. */
const cutToBytes = (lines: string | null, max: number): string | null =>
  lines && lines.slice(0, encoder.encodeInto(lines, new Uint8Array(max)).read).trimEnd();
