import { readPage } from '../../parse/page';
import { bad, type Payload } from './payload';
import { itemSchema, payloadOf, text } from './schema';
import { cleanText } from '../../parse/text';

interface OutgoingLink {
  readonly href: string;
  readonly text?: string | null;
  readonly path?: string | null;
}

const check = itemSchema<OutgoingLink>({ href: { type: 'string' }, text, path: text }, ['href']);

/** Somebody followed a link that leads away from the website. @throws BadItem */
export function readOutgoingLink(item: unknown): Payload {
  const raw = check(item);
  const href = cleanText(raw.href, 2048);
  if (href === null || !/^https?:\/\//i.test(href) || !URL.canParse(href)) throw bad('href', 'must be an http(s) URL');
  const path = cleanText(raw.path, 2048);
  const data = {
    href,
    text: cleanText(raw.text, 2048),
    path: path === null ? null : (readPage(path)?.path ?? null),
  };
  return payloadOf('outgoing_link', raw, { type: 'OutgoingLinkClicked', data });
}
