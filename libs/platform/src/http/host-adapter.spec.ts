import { requestIdFromHeaders } from './host-adapter';

describe('the id of a request', () => {
  it('is the caller’s own where it is a plain token', () => expect(idOf('job-7:a.b_c')).toBe('job-7:a.b_c'));

  it.each([undefined, '', 'two words', 'x'.repeat(129), '<b>', ['a', 'b']])('is a new one instead of %j', (sent) =>
    expect(idOf(sent)).toMatch(/^[0-9a-f-]{36}$/),
  );
});

const idOf = (sent: string | string[] | undefined): string =>
  requestIdFromHeaders({ headers: { 'x-request-id': sent } });
