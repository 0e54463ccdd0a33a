import { partsOfText } from '@ledgerline/domain/sessions/composite-text';
import { countryName } from '@ledgerline/domain/query/countries';
import { sourceOf } from '@ledgerline/domain/referrers/source-of';
import { textFields, type Fields } from './fields';
import { textIn, type SqlRow } from './sql-row';

/** The fields that a row has for the value it is about, besides its counts; rows are sorted by them in their order. */
export interface Labels {
  readonly fields: Fields;
  /** '' is the missing value. */
  readonly of: (value: string) => Readonly<Record<string, string>>;
}

const labels = (of: Labels['of']): Labels => ({ fields: textFields(Object.keys(of(''))), of });

const UNKNOWN = 'Unknown';

/** The value itself. */
export const textAs = (name: string): Labels => labels((value) => ({ [name]: value }));

/** The value itself, or Unknown. */
const NAME = labels((value) => ({ name: value || UNKNOWN }));

const BROWSER_AND_VERSION = labels((value) => {
  const [browser, version] = partsOfText(value);
  return { browser_name: browser || UNKNOWN, browser_version: version || UNKNOWN };
});

/** A canonical referrer domain with the source it belongs to; '' = direct. */
const REFERRER = labels((domain) => {
  const { name, type } = sourceOf(domain);
  return { name, referrer: domain, source: name, domain, referrer_type: type };
});

const COUNTRY = labels((code) => ({ name: countryName(code) || UNKNOWN, ...countryFields(code) }));

/** A region or city, which only its country and name together identify. */
const PLACE = labels((value) => {
  const [code, name] = partsOfText(value);
  if (name === '') return { name: UNKNOWN, ...countryFields(''), country: UNKNOWN };
  return { name, ...countryFields(code), country: countryName(code) || UNKNOWN };
});

function countryFields(code: string) {
  return { country_code: code, country_name: countryName(code) || UNKNOWN };
}

const OF_ATTRIBUTES: Readonly<Record<string, Labels>> = {
  referrer: REFERRER,
  country: COUNTRY,
  region: PLACE,
  city: PLACE,
  browser_version: BROWSER_AND_VERSION,
};

/** The labels of the values of an attribute, or some of them; a path has its name alone. */
export function labelsOf(attribute: string, ...names: readonly string[]): Labels {
  const all = OF_ATTRIBUTES[attribute] ?? NAME;
  if (names.length === 0) return all;
  return labels((value) => Object.fromEntries(names.map((name) => [name, all.of(value)[name] ?? ''])));
}

/** The names of a row's attributes, from the columns of their texts. */
export const attributesIn = (found: SqlRow, attributes: readonly string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(attributes.map((name) => [name, labelsOf(name).of(textIn(found, name))['name'] ?? '']));
