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
