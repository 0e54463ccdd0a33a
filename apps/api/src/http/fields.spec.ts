import { CreateLinkDto } from '../links/link.dto';
import { CreateMonitorDto } from '../status/monitors';
import { validated } from './validation';

describe('a name or title', () => {
  it('has no bidirectional marks', () => {
    const name = '\u2066Sale\u2069 \u202egpj.exe\u202c';
    const { ogTitle, ...link } = validated(CreateLinkDto, { ...LINK, name, ogTitle: '\u200f\u061cשלום\u200e' });
    expect([link.name, ogTitle]).toEqual(['Sale gpj.exe', 'שלום']);
    expect(validated(CreateLinkDto, { ...LINK, name: '\u202e Sale' }).name).toBe('Sale');
  });

  it('is empty where it has nothing else', () =>
    expect(() => validated(CreateLinkDto, { ...LINK, name: '\u202e\u202c' })).toThrow(
      expect.objectContaining({ details: [{ field: 'name', message: 'name must not be empty.' }] }) as Error,
    ));
});

it('a text that is compared with texts of others keeps its bidirectional marks', () => {
  const body = { organizationId: 'org_1', name: 'Shop', url: 'https://example.com/', expectedText: '\u200fשלום' };
  expect(validated(CreateMonitorDto, body).expectedText).toBe(body.expectedText);
});

const LINK = { organizationId: 'org_1', name: 'Sale', targetUrl: 'https://example.com/' };
