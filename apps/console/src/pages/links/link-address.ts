/** An address as people write it, `shop.example/spring`, with the scheme that it lacks. */
export function withScheme(text: string): string {
  const address = text.trim();
  const hasScheme = address.includes('://') || /^[a-z][\w+.-]*:(?!\d)/i.test(address); // `localhost:3000` has none
  return address === '' || hasScheme ? address : `https://${address.replace(/^\/+/, '')}`;
}

/** An address without its scheme, as far as a name may be long; without half of a character at its end. */
export function nameOfAddress(address: string): string {
  const name = address.replace(/^https?:\/\/(www\.)?/i, '').replace(/\/$/, '') || address;
  return name.slice(0, MAX_NAME).replace(/[\ud800-\udbff]$/, '');
}

const MAX_NAME = 255;

/** The parameters by which websites tell campaigns apart. */
export const CAMPAIGN = [
  ['utm_source', 'Source', 'Where it is published: newsletter'],
  ['utm_medium', 'Medium', 'What it is: email, social, cpc'],
  ['utm_campaign', 'Campaign', 'What it is for: spring-sale'],
  ['utm_term', 'Term', 'A keyword that was paid for'],
  ['utm_content', 'Content', 'Which of several links: header'],
] as const;

const PARTS = /^([^?#]*)(?:\?([^#]*))?(#.*)?$/s;

export function parameterIn(address: string, name: string): string {
  return new URLSearchParams(PARTS.exec(address)?.[2] ?? '').get(name) ?? '';
}

/** The address with another value of one parameter, without it where the value is empty. */
export function withParameter(address: string, name: string, value: string): string {
  const [, page = '', query = '', fragment = ''] = PARTS.exec(address) ?? [];
  const parameters = new URLSearchParams(query);
  if (value === '') parameters.delete(name);
  else parameters.set(name, value);
  return `${page}${parameters.size > 0 ? `?${parameters.toString()}` : ''}${fragment}`;
}
