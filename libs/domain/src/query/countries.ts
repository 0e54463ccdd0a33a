const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'code' });

/** The English name of an ISO 3166-1 alpha-2 code; '' stays '', and what is no code stays what it is. */
export function countryName(code: string): string {
  return /^[A-Z]{2}$/.test(code) ? (names.of(code) ?? code) : code;
}
