import type { NewLinkDto } from '@ledgerline/client';
import { parse } from 'papaparse';

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

/** What pasted text holds, or why it cannot be taken. */
export interface Pasted {
  readonly lines: readonly PastedLine[];
  readonly problem?: string;
}

/** Names that other services give the columns of their exports; compared as letters and digits alone. */
const COLUMNS = {
  targetUrl: ['targeturl', 'target', 'destination', 'destinationurl', 'long', 'longurl', 'originalurl', 'url', 'link'],
  slug: ['slug', 'short', 'shorturl', 'shortlink', 'bitlink', 'shortcode', 'backhalf', 'keyword', 'alias', 'key'],
  name: ['name', 'title'],
  externalId: ['externalid'],
} as const satisfies Partial<Record<keyof NewLinkDto, readonly string[]>>;

type Field = keyof typeof COLUMNS;

/** A table with the names of its columns first, or an address in each line, and perhaps a short name after it. */
export function readPasted(text: string): Pasted {
  const [header, ...rows] = parse<string[]>(text.trim(), { delimitersToGuess: [',', ';', '\t'] }).data;
  const fields = header && header.length > 1 ? header.map(fieldOf) : [];
  const isTable = fields.some((field) => field !== undefined) && !header?.some(isAddress);
  if (!isTable) return readLines(text);
  if (!fields.includes('targetUrl'))
    return { lines: [], problem: 'No column is named “long”, “destination” or “url”.' };
  const isFilled = (row: readonly string[]) => row.some((cell) => cell.trim() !== '');
  return {
    lines: rows.flatMap((row, at) =>
      isFilled(row) ? [{ number: at + 2, text: row.join(' '), link: linkOf(fields, row) }] : [],
    ),
  };
}

const fieldOf = (name: string): Field | undefined => {
  const plain = name.toLowerCase().replace(/[^a-z0-9]/g, '');
  return (Object.keys(COLUMNS) as Field[]).find((field) => COLUMNS[field].some((known) => known === plain));
};

const isAddress = (text: string): boolean => /^\s*https?:\/\//i.test(text);

/** The short address of another service gives its end as short name. */
function linkOf(fields: readonly (Field | undefined)[], row: readonly string[]): NewLinkDto {
  const cell = (field: Field) => row[fields.indexOf(field)]?.trim() ?? '';
  const [targetUrl, externalId] = [cell('targetUrl'), cell('externalId')];
  const slug = cell('slug').replace(/\/+$/, '').split('/').at(-1) ?? '';
  return {
    targetUrl,
    name: cell('name') || nameOf(targetUrl),
    ...(slug === '' ? {} : { slug }),
    ...(externalId === '' ? {} : { externalId }),
  };
}

/** Whether addresses and short names are right is decided by the api. */
function readLines(text: string): Pasted {
  const lines = text.split('\n').flatMap((line, at) => {
    const [targetUrl = '', slug, ...rest] = line.trim().split(/\s+/);
    if (targetUrl === '') return [];
    // further words make a short name that the api refuses
    const slugGiven = slug === undefined ? {} : { slug: [slug, ...rest].join(' ') };
    return [{ number: at + 1, text: line.trim(), link: { targetUrl, name: nameOf(targetUrl), ...slugGiven } }];
  });
  const wrong = lines.find((line) => /.[,;\s]\s*"?https?:\/\//i.test(line.text));
  if (!wrong) return { lines };
  const problem = `Line ${wrong.number} has two addresses. Put the names of the columns into the first line: short,long`;
  return { lines, problem };
}

/** The address without its scheme, as far as a name may be long; without half of a character at its end. */
function nameOf(address: string): string {
  const name = address.replace(/^https?:\/\/(www\.)?/i, '').replace(/\/$/, '') || address;
  return name.slice(0, MAX_NAME).replace(/[\ud800-\udbff]$/, '');
}
