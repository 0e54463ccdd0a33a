import type { ConditionDefinition, FieldFilter, Filter } from '@ledgerline/contracts/definitions';
import { customEvent, outgoingLink, pageView } from '@test/events/observed-events';
import { meets } from './reached-goal';

describe('a goal is reached', () => {
  it('by a page view of a path, host and query string, as people write them', () => {
    const view = pageView(0, { path: '/thank-you', host: 'xn--mller-kva.example', query: 'plan=pro' });
    expect(meets(view, page(is('path', 'https://shop.example/thank-you/')))).toBe(true);
    expect(meets(view, page(is('path', '/thank'), is('query_string', '?plan=pro')))).toBe(false);
    expect(meets(view, page(is('hostname', 'müller.example'), is('query_string', '?plan=pro')))).toBe(true);
    expect(meets(view, page({ any: [is('path', '/other'), { field: 'path', op: 'glob', value: '/thank*' }] }))).toBe(
      true,
    );
    expect(meets(view, page({ field: 'path', op: 'not_in', value: ['/thank-you'] }))).toBe(false);
    expect(meets(view, page())).toBe(true);
  });

  it('by a custom event, its name and properties', () => {
    const event = customEvent('site_1', 1);
    const bought = { ...event, data: { ...event.data, properties: { total: 20, tags: [1, 'a'], ok: true } } };
    const condition = (...filters: readonly Filter[]): ConditionDefinition => ({ kind: 'event', filters });
    expect(meets(bought, condition(is('name', 'signup'), { field: 'property:total', op: 'gt', value: '19.5' }))).toBe(
      true,
    );
    expect(meets(bought, condition(is('property:tags', '[1, "a"]'), is('property:ok', 'true')))).toBe(true);
    expect(meets(bought, condition(is('property:none', '')))).toBe(true);
    expect(meets(bought, condition(is('name', 'Signup')))).toBe(false);
    expect(meets(bought, page())).toBe(false);
  });

  it('by a click of an outgoing link, its address, domain and kind', () => {
    const click = outgoingLink(0, { href: 'https://docs.example/a.pdf', linkKind: 'download', own: true });
    const condition = (...filters: readonly Filter[]): ConditionDefinition => ({ kind: 'outgoing_link', filters });
    expect(meets(click, condition(is('domain', 'docs.example'), is('link_kind', 'download')))).toBe(true);
    expect(meets(click, condition(is('href', 'docs.example/a.pdf')))).toBe(true);
    expect(meets(click, condition({ field: 'link_kind', op: 'ne', value: 'download' }))).toBe(false);
  });
});

const is = (field: string, value: string): FieldFilter => ({ field, op: 'eq', value });
const page = (...filters: readonly Filter[]): ConditionDefinition => ({ kind: 'page', filters });
