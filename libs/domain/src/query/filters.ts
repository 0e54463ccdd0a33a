import { domainToASCII, domainToUnicode } from 'node:url';
import { type AttributeKind, attributeNamed, eventFilterNamed } from '@ledgerline/contracts/attributes';
import { textsPass, type Criterion, type NumberTest, type TextTest } from '@ledgerline/contracts/criterion';
import {
  PROPERTY,
  type AnyFilter,
  type FieldFilter,
  type Filter,
  type FilterOp,
} from '@ledgerline/contracts/definitions';
import { normalHost, parseUrl } from '@ledgerline/contracts/parse-url';
import {
  languageInCase,
  normalEncoding,
  normalHref,
  normalLanguage,
  normalPath,
  normalText,
  otherLanguages,
} from '../normal-forms';
import { domainOfSource, sourceOf } from '../referrers/source-of';
import { zoneNamed } from '../time/zones';

const NUMBER_OPS: ReadonlySet<string> = new Set<FilterOp>(['gt', 'gte', 'lt', 'lte']);

/** Returns whether an op compares numbers. */
export const isNumberOp = (op: unknown): boolean => typeof op === 'string' && NUMBER_OPS.has(op);

const TESTS: Record<FilterOp, Pick<Criterion, 'test' | 'negated'>> = {
  eq: { test: 'equal', negated: false },
  ne: { test: 'equal', negated: true },
  contains: { test: 'contain', negated: false },
  not_contains: { test: 'contain', negated: true },
  starts_with: { test: 'start', negated: false },
  in: { test: 'equal', negated: false },
  not_in: { test: 'equal', negated: true },
  glob: { test: 'glob', negated: false },
  gt: { test: 'above', negated: false },
  gte: { test: 'from', negated: false },
  lt: { test: 'below', negated: false },
  lte: { test: 'to', negated: false },
};

export const isAnyOf = (filter: Filter): filter is AnyFilter => 'any' in filter;

/** Returns what a filter looks for: one of these must hold. */
export const alternativesIn = (filter: Filter): readonly FieldFilter[] => (isAnyOf(filter) ? filter.any : [filter]);

/**
 * A missing value is the empty string. Whole values may be given by the names that rows show for them, and all as people
 * write them, beside the form in which intake has recorded them since there is one.
 */
export function criterion({ field, op, value }: FieldFilter): Criterion {
  const given = valuesIn(value);
  const { test, negated } = TESTS[op];
  const named = test === 'equal' ? given.map((name) => valueNamed(field, name)).filter((one) => one !== undefined) : [];
  const recorded = isNumberTest(test) ? [] : given.flatMap((each) => recordedForms(field, test, each));
  return { field, test, values: [...new Set([...given, ...recorded, ...named])], negated };
}

const valuesIn = (value: FieldFilter['value']): readonly string[] => (typeof value === 'string' ? [value] : value);

const isNumberTest = (test: Criterion['test']): test is NumberTest => !TEXT_TESTS.has(test);
const TEXT_TESTS: ReadonlySet<string> = new Set<TextTest>(['equal', 'contain', 'start', 'glob']);

/** The values of a filter that nothing recorded can ever have. */
export const impossibleValues = ({ field, op, value }: FieldFilter): readonly string[] =>
  kindOf(field) === 'path' && !TESTS[op].negated ? valuesIn(value).filter(hasQuery) : [];

export const kindOf = (field: string): AttributeKind | undefined =>
  KINDS_OF_CONDITIONS[field] ?? attributeNamed(field)?.kind;

/** The kinds of fields that only conditions have. */
const KINDS_OF_CONDITIONS: Readonly<Record<string, AttributeKind>> = { href: 'address', domain: 'host' };

/** The forms in which intake records what a person typed or copied from a page: a whole value, a part or a pattern of it. */
export function recordedForms(field: string, test: TextTest, value: string): readonly string[] {
  const kind = kindOf(field);
  const text = normalText(value);
  const typed = field.startsWith(PROPERTY) ? text : trimmed(text, test) || text;
  return kind === undefined || typed === '' ? [typed] : (FORMS[kind]?.(typed, test) ?? [typed]);
}

function trimmed(text: string, test: TextTest): string {
  if (test === 'contain') return text;
  return test === 'start' ? text.trimStart() : text.trim();
}

const FORMS: Readonly<Partial<Record<AttributeKind, (text: string, test: TextTest) => readonly string[]>>> = {
  path: (text, test) => [pathForm(text, test)],
  query: (text) => [normalEncoding(text.replace(/^\?(?=.)/s, ''))],
  address: addressForms,
  host: (text, test) => [hostForm(text, test)],
  source: (text, test) => [sourceForm(text, test)],
  language: languageForms,
  // a short name such as EST may be a part of another one
  zone: (text, test) => [(test === 'equal' || text.includes('/') ? zoneNamed(text) : undefined) ?? text],
};

const HTTP = /^https?:\/\//i;
const SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i;

/** Returns whether a text has a query string, which no path has. */
const hasQuery = (text: string): boolean => text.replace(/#.*/s, '').includes('?');

/** The path of an address, of one on the page, or of its beginning. */
function pathForm(text: string, test: TextTest): string {
  if (test === 'contain') return normalEncoding(text);
  const local = text.replace(/#.*/s, '').replace(new RegExp(`${HTTP.source}[^/?]*`, 'i'), '');
  const path = local.startsWith('/') || (test === 'glob' && local.startsWith('*')) ? local : `/${local}`;
  if (test === 'start' || hasQuery(path)) return normalEncoding(path);
  return normalPath((test === 'equal' && parseUrl(`http://host.invalid${path}`)?.pathname) || path);
}

/** A part of a language, as `no`, is no code of its own. */
function languageForms(text: string, test: TextTest): readonly string[] {
  if (test === 'contain') return [languageInCase(text)];
  const normal = normalLanguage(text);
  return [normal, ...otherLanguages(normal)];
}

/** An address without its scheme may have either. */
function addressForms(text: string, test: TextTest): readonly string[] {
  const isAnywhere = test === 'contain' || (test === 'glob' && text.startsWith('*'));
  if (isAnywhere) return [normalEncoding(text), partOfAddress(text)];
  const written = HTTP.test(text) ? [text] : [`https://${text}`, `http://${text}`];
  return written.map((each) => {
    const url = test === 'equal' ? parseUrl(each) : null;
    return url ? normalHref(url) : partOfAddress(each);
  });
}

/** With its host, if it has one, as in an address. */
const partOfAddress = (text: string): string =>
  text.replace(/^(https?:\/\/)?([^/?#]*)(.*)$/is, (_, scheme = '', host: string, rest: string) =>
    [String(scheme).toLowerCase(), domainToASCII(host) || host.toLowerCase(), normalEncoding(rest)].join(''),
  );

/** The host of an address, with or without its scheme and what follows. */
function hostForm(text: string, test: TextTest): string {
  if (test === 'equal') return normalHost(parseUrl(SCHEME.test(text) ? text : `http://${text}`)?.hostname || text);
  const bare = text.replace(SCHEME, '').toLowerCase();
  return (test === 'glob' ? bare : bare.replace(/(:\d*)?([/?#].*)?$/s, '')) || bare;
}

/** The domain that a host is grouped under. */
function sourceForm(text: string, test: TextTest): string {
  const host = hostForm(text, test);
  return test === 'glob' ? host : sourceOf(host.replace(/^(www\.)+(?=.)/, '')).domain;
}

/** The value that rows show under a name: a missing one, or the domain of a known source, whose name ignores case. */
function valueNamed(field: string, name: string): string | undefined {
  const missing = attributeNamed(field)?.missing;
  const isSource = kindOf(field) === 'source';
  const fold = (text: string) => (isSource ? text.toLowerCase() : folded(field, text));
  if (missing !== undefined && fold(name) === fold(missing)) return '';
  return isSource ? domainOfSource(name) : undefined;
}

const ignoresCase = (field: string): boolean => attributeNamed(field)?.ignoresCase ?? false;

const folded = (field: string, text: string): string => (ignoresCase(field) ? text.toLowerCase() : text);

/**
 * Returns whether texts compare in lower case. A part of a language or time zone does not say how the whole is written.
 */
export function foldsCase({ field, test }: Pick<Criterion, 'field' | 'test'>): boolean {
  const kind = kindOf(field);
  if (kind === 'language' || kind === 'zone') return test !== 'equal';
  return test !== 'glob' && ignoresCase(field);
}

/** Returns what a recorded value goes by: a country by its name too, a host by its letters. */
export function spellingsOf(field: string, text: string): readonly string[] {
  const kind = kindOf(field);
  if (kind === 'country') return [text, countryName(text)];
  return isHost(field) && text.includes('xn--') ? [text, domainToUnicode(text)] : [text];
}

export const isHost = (field: string): boolean => ['host', 'source'].includes(kindOf(field) ?? '');

/** The numbers whose names pass, of a field of one kind of events. */
export const numbersNamed = (criterion: Criterion): number[] =>
  Object.entries(eventFilterNamed(criterion.field)?.values ?? {}).flatMap(([name, numbers]) =>
    passes(criterion, [name]) ? numbers : [],
  );

/** Returns whether a value that goes by several spellings passes. A glob is of no label. */
export function passes(criterion: Criterion, spellings: readonly string[]): boolean {
  const { field, test } = criterion;
  const texts = test === 'glob' && !isHost(field) ? spellings.slice(0, 1) : spellings;
  return textsPass(criterion, texts, foldsCase(criterion));
}

/** Languages in which people may name a country. */
const LANGUAGES = [
  'en',
  'de',
  'fr',
  'es',
  'it',
  'pt',
  'nl',
  'pl',
  'sv',
  'da',
  'nb',
  'fi',
  'cs',
  'tr',
  'ru',
  'uk',
  'ja',
  'zh',
  'ko',
];

const inLanguage = (language: string, style: 'long' | 'short' = 'long') =>
  new Intl.DisplayNames(language, { type: 'region', fallback: 'code', style });

const names = inLanguage('en');

/** Made when a name is looked for, as each takes milliseconds. */
let others: readonly Intl.DisplayNames[] | undefined;

/** The English name of an ISO 3166-1 alpha-2 code; '' stays '', and what is no code stays what it is. */
export function countryName(code: string): string {
  return isCode(code) ? (names.of(code) ?? code) : code;
}

/** The names of a country in several languages, short ones (`UK`) too. */
export function countryNames(code: string): readonly string[] {
  others ??= [inLanguage('en', 'short'), ...LANGUAGES.map((language) => inLanguage(language))];
  return isCode(code) ? [...new Set(others.map((each) => each.of(code) ?? code))] : [code];
}

const isCode = (code: string): boolean => /^[A-Z]{2}$/.test(code);
