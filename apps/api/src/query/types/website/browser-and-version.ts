import { PART } from '@ledgerline/contracts/read-models/words';
import { text } from '../../fields';
import { UNKNOWN, type Labelling } from './dimension';

export const BROWSER_AND_VERSION: Labelling = {
  fields: { browser_name: text, browser_version: text },
  of(word) {
    const [browser = '', version = ''] = word.split(PART);
    return { browser_name: browser || UNKNOWN, browser_version: version || UNKNOWN };
  },
};
