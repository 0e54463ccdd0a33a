import { normalHost, parseUrl } from '@ledgerline/contracts/parse-url';
import { normalEncoding } from '@ledgerline/domain/normal-forms';
import { cleanText } from '../../parse/text';
import { anything, itemSchema, requiredText, text } from './fields';
import { bad, type Payload } from './payload';
import { optionalPath, payloadOf } from './values';

const check = itemSchema({ href: requiredText, link_kind: anything, text, path: text });

/** A visitor followed a link that leads away from the website, or to a file. @throws BadItem */
export function readOutgoingLink(item: unknown): Payload {
  const raw = check(item);
  const href = cleanText(raw.href, 2048) ?? '';
  const url = /^https?:\/\//i.test(href) ? parseUrl(href) : null;
  if (url === null) throw bad('href', 'must be an http(s) URL');
  url.hostname = normalHost(url.hostname);
  const linkKind = raw.link_kind === 'download' ? ('download' as const) : ('link' as const);
  const data = {
    href: normalEncoding(url.href),
    linkKind,
    text: cleanText(raw.text, 2048),
    path: optionalPath(raw.path),
  };
  return payloadOf('outgoing_link', raw, { type: 'OutgoingLinkClicked', data });
}
