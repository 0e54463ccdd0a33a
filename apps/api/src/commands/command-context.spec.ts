import { Problem } from '@ledgerline/contracts/errors/error-codes';
import { commandHeaders } from './command-context';

describe('the headers of a command', () => {
  it('name the revision that must be current, quoted or not', () => {
    for (const sent of ['7', '"7"']) expect(headers({ 'if-match': sent })).toMatchObject({ expectedRevision: 7 });
    expect(headers({}).expectedRevision).toBeUndefined();
  });

  it.each(['', '*', 'W/"7"', '"7', '-1', '7.0', '1e3', '7, 8', '"7", "8"', '99999999999'])(
    'are refused with If-Match: %s',
    (sent) => expect(wrongFields({ 'if-match': sent })).toEqual(['If-Match']),
  );

  it('name every malformed one', () =>
    expect(wrongFields({ 'if-match': 'x', 'idempotency-key': 'two words' })).toEqual(['Idempotency-Key', 'If-Match']));

  it('hold an Idempotency-Key only for a POST', () => {
    expect(headers({ 'idempotency-key': 'once' }).idempotencyKey).toBe('once');
    for (const method of ['PATCH', 'DELETE'])
      expect(commandHeaders({ method, headers: { 'idempotency-key': 'once' } }).idempotencyKey).toBeUndefined();
  });

  it('correlate only by a plain token', () => {
    expect(headers({ 'x-correlation-id': 'order-17' }).correlationId).toBe('order-17');
    for (const sent of ['', 'two words', 'ä', 'x'.repeat(129)])
      expect(headers({ 'x-correlation-id': sent }).correlationId).toBeUndefined();
  });
});

const headers = (sent: Readonly<Record<string, string>>) => commandHeaders({ method: 'POST', headers: sent });

function wrongFields(sent: Readonly<Record<string, string>>): string[] {
  try {
    headers(sent);
  } catch (error) {
    if (error instanceof Problem) return (error.details ?? []).map(({ field }) => field);
    throw error;
  }
  return [];
}
