import { sourceOf } from '@ledgerline/domain/referrers/source-of';
import { text } from '../../fields';
import type { Labelling } from './dimension';

/** A canonical referrer domain with the source it belongs to; '' = direct. */
export const REFERRER: Labelling = {
  fields: { name: text, referrer: text, source: text, domain: text, referrer_type: text },
  of(domain) {
    const { name, type } = sourceOf(domain);
    return { name, referrer: domain, source: name, domain, referrer_type: type };
  },
};
