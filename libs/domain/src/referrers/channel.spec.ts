import type { PageViewed } from '@ledgerline/contracts/events/observed-events';
import { channelOf } from './channel';

type Visit = { host?: string; own?: boolean; source?: string; medium?: string; query?: string };

describe('the channel of a visit', () => {
  it.each<[string, Visit]>([
    ['Paid search', { host: 'www.google.com', medium: 'CPC' }],
    ['Paid search', { host: 'www.google.com', query: 'a=1&GCLID=x' }],
    ['Paid search', { source: 'bing', query: 'msclkid=x' }],
    ['Paid search', { source: 'Google', medium: 'retargeting' }],
    ['Paid social', { host: 'l.facebook.com', medium: 'paidsocial', query: 'fbclid=x' }],
    ['Paid social', { source: 'fb', medium: 'cpc' }],
    ['Email', { host: 'www.google.com', medium: 'E-Mail' }],
    ['Email', { source: 'Newsletter' }],
    ['Email', { host: 'mail.google.com' }],
    ['Affiliates', { host: 'partner.example', medium: 'affiliate' }],
    ['Display', { host: 'chatgpt.com', medium: 'banner' }],
    ['AI', { host: 'chatgpt.com' }],
    ['Organic search', { host: 'duckduckgo.com', query: 'gclids=x' }],
    ['Organic search', { source: 'elsewhere', medium: 'organic' }],
    ['Organic social', { host: 'l.facebook.com', query: 'fbclid=x' }],
    ['Organic social', { host: 'www.linkedin.com', query: 'gclid=x' }],
    ['Organic social', { medium: 'Social' }],
    ['Referral', { host: 'partner.example' }],
    ['Referral', { host: 'partner.example', source: 'list', medium: 'cpc' }],
    ['Referral', { medium: 'referral' }],
    ['Direct', {}],
    ['Direct', { query: 'gclid=x' }],
    ['Direct', { host: 'shop.example', own: true }],
    ['Other', { source: 'poster' }],
    ['Other', { medium: 'cpc' }],
  ])('is %s for %j', (channel, visit) => expect(channelOf(visitOf(visit))).toBe(channel));
});

const visitOf = ({ host, own = false, source, medium, query }: Visit): Parameters<typeof channelOf>[0] => ({
  referrer: host === undefined ? null : { host, path: '/', own },
  utm: utmOf(source ?? null, medium ?? null),
  query: query ?? null,
});

const utmOf = (source: string | null, medium: string | null): PageViewed['data']['utm'] =>
  source === null && medium === null ? null : { source, medium, campaign: null, term: null, content: null };
