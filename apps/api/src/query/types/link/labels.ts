import { text } from '../../fields';
import type { Labelling } from '../website/dimension';
import { PLACE } from '../website/place';
import { REFERRER } from '../website/referrer';

/** A subset of the labels of a website's rows. */
const only = (labels: Labelling, ...names: readonly string[]): Labelling => ({
  fields: Object.fromEntries(names.map((name) => [name, text])),
  of(word) {
    const all = labels.of(word);
    return Object.fromEntries(names.map((name) => [name, all[name] ?? '']));
  },
});

export const LINK_REFERRER = only(REFERRER, 'name', 'referrer');
export const LINK_PLACE = only(PLACE, 'name', 'country_code', 'country_name');
