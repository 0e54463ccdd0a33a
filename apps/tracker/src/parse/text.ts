import { normalText } from '@ledgerline/domain/normal-forms';

const UNWANTED = /[\p{Cc}\p{Cs}]/u; // with the u flag only lone surrogates are Cs
const ALL_UNWANTED = new RegExp(UNWANTED, 'gu');
const UNWANTED_IN_LINES = /[^\P{Cc}\n\t]|\p{Cs}/u;
const ALL_UNWANTED_IN_LINES = new RegExp(UNWANTED_IN_LINES, 'gu');

/**
 * Trimmed, in Unicode NFC, without control characters and lone surrogates, at most `max` UTF-16 units; null when nothing is
 * left.
 */
export const cleanText = (value: unknown, max: number): string | null =>
  typeof value === 'string' ? nullIfEmpty(cut(normalText(cleaned(value)), max)) : null;

/** The same for an id, which is compared byte by byte. */
export const cleanId = (value: unknown, max: number): string | null =>
  typeof value === 'string' ? nullIfEmpty(cut(cleaned(value), max)) : null;

const cleaned = (value: string) => (UNWANTED.test(value) ? value.replace(ALL_UNWANTED, '') : value).trim();

/** The same for text of several lines, whose line feeds and tabs stay. */
export const cleanLines = (value: unknown, max: number): string | null =>
  typeof value === 'string' ? nullIfEmpty(cut(withoutControls(value).trim(), max)) : null;

/** Text in NFC without control characters (but line feeds and tabs) and lone surrogates, otherwise as it is. */
export const withoutControls = (text: string): string =>
  normalText(UNWANTED_IN_LINES.test(text) ? text.replace(ALL_UNWANTED_IN_LINES, '') : text);

/** Never between the two halves of a character. */
function cut(text: string, max: number): string {
  if (text.length <= max) return text;
  const last = text.charCodeAt(max - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? max - 1 : max).trimEnd();
}

const nullIfEmpty = (text: string): string | null => (text === '' ? null : text);
