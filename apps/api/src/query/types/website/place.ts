import { PART } from '@ledgerline/contracts/read-models/words';
import { countryName } from '@ledgerline/domain/query/countries';
import { text } from '../../fields';
import { UNKNOWN, type Labelling } from './dimension';

export const COUNTRY: Labelling = {
  fields: { name: text, country_code: text, country_name: text },
  of: (code) => ({ name: countryName(code) || UNKNOWN, ...countryFields(code) }),
};

/** A region or city, which only its country and name together identify. */
export const PLACE: Labelling = {
  fields: { name: text, country_code: text, country_name: text, country: text },
  of(word) {
    const [code = '', name = ''] = word.split(PART);
    if (name === '') return { name: UNKNOWN, ...countryFields(''), country: UNKNOWN };
    return { name, ...countryFields(code), country: countryName(code) || UNKNOWN };
  },
};

const countryFields = (code: string) => ({ country_code: code, country_name: countryName(code) || UNKNOWN });
