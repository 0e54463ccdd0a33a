import type { ObservedEvent } from '@ledgerline/contracts/events/observed-events';
import { eachKindOf } from '../events/each-kind';
import { linkClicked } from '../events/observed-events';

/** Of the events, epoch ms. */
export const START = Date.parse('2026-05-24T12:00:00Z');

/** The texts that an event of each kind says, and what the tables keep of it. */
export const PLANTED = [
  ...['path', 'referrer', 'source', 'medium', 'campaign', 'term', 'content', 'language', 'region', 'city', 'browser'],
  ...['href', 'text', 'message', 'file', 'error', 'event', 'namespace', 'ann@field', 'target', 'query'],
].map((text) => `planted-${text}`);

/** An event of each kind with texts, and the click that led there. */
export function planted(visitorId: string, hour: number): readonly ObservedEvent[] {
  const at = START + hour * 3_600_000;
  const utm = { source: 'planted-source', medium: 'planted-medium', campaign: 'planted-campaign' };
  const led = linkClicked(at, { utm: { ...utm, term: 'planted-term', content: 'planted-content' } });
  const attributes = { country: 'DE', region: 'planted-region', city: 'planted-city', browser: 'planted-browser' };
  const [view, ...others] = eachKindOf('site_1', 'UTC');
  const texts: Readonly<Record<string, object>> = {
    PageViewed: {
      query: 'q=planted-query',
      title: 'planted-title',
      language: 'planted-language',
      utm: led.data.utm,
      referrer: { host: 'planted-referrer', path: '/', own: false },
      click: { id: led.id, linkId: 'link_1' },
      ...attributes,
    },
    OutgoingLinkClicked: { href: 'https://planted-href/planted-ann', text: 'planted-text' },
    ErrorRecorded: { message: 'planted-message', filename: 'planted-file', errorType: 'planted-error' },
    CustomEventTracked: {
      name: 'planted-event',
      namespace: 'planted-namespace',
      properties: { email: 'planted-ann@field' },
    },
    EngagementMeasured: { span: { rageClickCount: 1, rageClickTarget: 'planted-target' } },
  };
  const events = [view!, ...others].map((event) => {
    const data = { ...event.data, visitorId, path: '/planted-path', ...texts[event.type] };
    return { ...event, id: linkClicked(at, {}).id, at: event.at + at - START, data } as ObservedEvent; // of its type
  });
  return [led, ...events];
}
