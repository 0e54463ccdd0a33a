import type { NewLinkDto } from '@ledgerline/client';

/** Of one request to the api. */
export const MAX_LINES = 1_000;

const MAX_NAME = 255;

/** A line that is not empty. */
export interface PastedLine {
  /** From 1, empty ones included. */
  readonly number: number;
  readonly text: string;
  readonly link: NewLinkDto;
}

/** Each line is an address, and perhaps a short name; whether they are right is decided by the api. */
export const readLines = (text: string): PastedLine[] =>
  text.split('\n').flatMap((line, at) => {
    const [targetUrl = '', slug, ...rest] = line.trim().split(/\s+/);
    if (targetUrl === '') return [];
    // further words make a short name that the api refuses
    const slugGiven = slug === undefined ? {} : { slug: [slug, ...rest].join(' ') };
    return [{ number: at + 1, text: line.trim(), link: { targetUrl, name: nameOf(targetUrl), ...slugGiven } }];
  });

/** The address without its scheme, as far as a name may be long; without half of a character at its end. */
function nameOf(address: string): string {
  const name = address.replace(/^https?:\/\/(www\.)?/i, '').replace(/\/$/, '') || address;
  return name.slice(0, MAX_NAME).replace(/[\ud800-\udbff]$/, '');
}
