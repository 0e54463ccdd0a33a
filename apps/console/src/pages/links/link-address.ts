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

/** Parameters of a campaign with their values, in the order of {@link CAMPAIGN}. */
export type Campaign = readonly (readonly [name: string, value: string])[];

/** The different campaigns of some addresses, each once, in their order. */
export function campaignsIn(addresses: readonly string[]): readonly Campaign[] {
  const found = new Map<string, Campaign>();
  for (const address of addresses) {
    const campaign = CAMPAIGN.map(([name]) => [name, parameterIn(address, name)] as const).filter(([, value]) => value);
    const key = JSON.stringify(campaign);
    if (campaign.length > 0 && !found.has(key)) found.set(key, campaign);
  }
  return [...found.values()];
}

/** The address with this campaign in place of its own. */
export const withCampaign = (address: string, campaign: Campaign): string =>
  CAMPAIGN.reduce((now, [name]) => withParameter(now, name, new Map(campaign).get(name) ?? ''), address);
