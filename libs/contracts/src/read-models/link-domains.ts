import { key, last, readModel } from './read-model';

/** The host of each href that was clicked on a website, both as text ids. */
export const linkDomains = readModel('link_domains', {
  website: key('integer'),
  value: key('integer'),
  domain: last('integer'),
});
