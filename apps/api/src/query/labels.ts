import { partsOfText } from '@ledgerline/domain/sessions/composite-text';
import { countryName } from '@ledgerline/domain/query/countries';
import { sourceOf } from '@ledgerline/domain/referrers/source-of';
import { text, type Fields } from './fields';

/** The fields that a row has for the value it is about, besides its counts; rows are sorted by them in their order. */
export interface Labels {
  readonly fields: Fields;
  /** '' is the missing value. */
  readonly of: (value: string) => Readonly<Record<string, string>>;
}

export const UNKNOWN = 'Unknown';

/** The value itself. */
export const textAs = (name: string): Labels => ({ fields: { [name]: text }, of: (value) => ({ [name]: value }) });

/** The value itself, or Unknown. */
export const NAME: Labels = { fields: { name: text }, of: (value) => ({ name: value || UNKNOWN }) };

export const BROWSER_AND_VERSION: Labels = {
  fields: { browser_name: text, browser_version: text },
  of(value) {
    const [browser, version] = partsOfText(value);
    return { browser_name: browser || UNKNOWN, browser_version: version || UNKNOWN };
  },
};

/** A canonical referrer domain with the source it belongs to; '' = direct. */
export const REFERRER: Labels = {
  fields: { name: text, referrer: text, source: text, domain: text, referrer_type: text },
  of(domain) {
    const { name, type } = sourceOf(domain);
    return { name, referrer: domain, source: name, domain, referrer_type: type };
  },
};

export const COUNTRY: Labels = {
  fields: { name: text, country_code: text, country_name: text },
  of: (code) => ({ name: countryName(code) || UNKNOWN, ...countryFields(code) }),
};

/** A region or city, which only its country and name together identify. */
export const PLACE: Labels = {
  fields: { name: text, country_code: text, country_name: text, country: text },
  of(value) {
    const [code, name] = partsOfText(value);
    if (name === '') return { name: UNKNOWN, ...countryFields(''), country: UNKNOWN };
    return { name, ...countryFields(code), country: countryName(code) || UNKNOWN };
  },
};

const countryFields = (code: string) => ({ country_code: code, country_name: countryName(code) || UNKNOWN });

/** Some of the labels. */
export function only({ fields, of }: Labels, ...names: readonly string[]): Labels {
  const pick = <V>(all: Readonly<Record<string, V>>) =>
    Object.fromEntries(Object.entries(all).filter(([name]) => names.includes(name)));
  return { fields: pick(fields), of: (value) => pick(of(value)) };
}
