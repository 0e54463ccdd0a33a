import { isEventId } from '@ledgerline/contracts/events/event-id';
import { CLICK_PARAMETER } from '@ledgerline/contracts/intake-limits';

/** A click on a short link: the id of its event, and its link. */
export interface ClickReference {
  readonly id: string;
  readonly linkId: string;
}

const LINK_PREFIX = 'link_';
const ENCODED = /^([^-]+)-(\w{1,64})$/;

/** As the parameter of an address names it: whoever reads it looks nothing up. */
const encode = ({ id, linkId }: ClickReference): string => `${id}-${linkId.slice(LINK_PREFIX.length)}`;

function decode(text: string): ClickReference | undefined {
  const [, id = '', link = ''] = ENCODED.exec(text) ?? [];
  return isEventId(id) ? { id, linkId: `${LINK_PREFIX}${link}` } : undefined;
}

/** The parameter, with its value; mailers encode what they need not. */
const PARAMETER = new RegExp(`^${CLICK_PARAMETER.replace('_', '(?:_|%5[Ff])')}(?:=(.*))?$`, 's');

/** Returns whether a part of a query string, between `&`, is the parameter that names a click. */
export const namesClick = (part: string): boolean => PARAMETER.test(part);

/** An address as it is written, but that its query string ends with this click, and names no other. */
export function withClick(address: string, click: ClickReference): string {
  const { page, query, hash } = split(takeClick(address).address);
  const parameter = `${CLICK_PARAMETER}=${encode(click)}`;
  return `${page}?${query === '' ? '' : `${query}&`}${parameter}${hash}`;
}

/** An address as it is written, but without the parameter of a click, and the last click that such a parameter names. */
export function takeClick(address: string): { readonly address: string; readonly click?: ClickReference | undefined } {
  const { page, query, hash } = split(address);
  const parts = query.split('&');
  const others = parts.filter((part) => !namesClick(part));
  if (others.length === parts.length) return { address };
  const clicks = parts.flatMap((part) => decode(PARAMETER.exec(part)?.[1]?.trim() ?? '') ?? []);
  const rest = others.join('&');
  return { address: `${page}${rest === '' ? '' : `?${rest}`}${hash}`, click: clicks.at(-1) };
}

/** The parts of an address: up to its query string, the query string without `?`, and the rest with `#`. */
function split(address: string): { readonly page: string; readonly query: string; readonly hash: string } {
  const [, page = '', query = '', hash = ''] = /^([^?#]*)(?:\?([^#]*))?(.*)$/s.exec(address) ?? [];
  return { page, query, hash };
}
