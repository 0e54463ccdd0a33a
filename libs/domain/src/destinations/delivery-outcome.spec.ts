import { type DeliveryAttempt, deliveryOutcome, pauseAfter } from './delivery-outcome';

describe('a try to deliver', () => {
  it.each([
    [200, 'sent'],
    [204, 'sent'],
    [302, 'held_back'],
    [401, 'held_back'],
    [404, 'held_back'],
    [410, 'off'],
    [429, 'held_back'],
    [503, 'held_back'],
    [null, 'held_back'],
  ])('of a webhook that is answered with %s is %s', (status, outcome) => expect(tried({ status })).toBe(outcome));

  it('of a message that is refused three times sets it aside', () => {
    for (const status of [400, 409, 413, 422]) {
      expect([1, 2, 3].map((tries) => tried({ status, tries }))).toEqual(['held_back', 'held_back', 'set_aside']);
    }
  });

  it('of a message that a receiver fails at ten times, and not at the next one, sets it aside', () => {
    const passed = { status: 500, successorPasses: true };
    expect([9, 10].map((tries) => tried({ ...passed, tries }))).toEqual(['held_back', 'set_aside']);
    for (const other of [{ status: null }, { successorPasses: false }, { kind: 'audit' as const }])
      expect(tried({ ...passed, tries: 10, ...other })).toBe('held_back');
  });

  it('of a mail that its server refuses for ever sets it aside, and turns the destination off that it does not know', () => {
    const mail = { kind: 'mail' } as const;
    expect([250, 451, null, 554].map((status) => tried({ ...mail, status }))).toEqual([
      'sent',
      'held_back',
      'held_back',
      'set_aside',
    ]);
    expect(tried({ ...mail, status: 550, isGone: true })).toBe('off');
  });

  it('turns a webhook off that has failed for three days', () => {
    expect(tried({ status: 500, failingForMs: 3 * 86_400_000 - 1 })).toBe('held_back');
    expect(tried({ status: 500, failingForMs: 3 * 86_400_000 })).toBe('off');
  });

  it('of an audit stream is made until it is taken, in halves where it is too large', () => {
    const audit = { kind: 'audit', tries: 1_000, failingForMs: 1e12 } as const;
    for (const status of [null, 302, 400, 409, 410, 422, 500])
      expect(tried({ ...audit, status, entries: 500 })).toBe('held_back');
    expect(tried({ ...audit, status: 413, entries: 500 })).toBe('split');
    expect(tried({ ...audit, status: 413, entries: 1 })).toBe('held_back');
    expect(tried({ ...audit, status: 200 })).toBe('sent');
  });
});

it('pauses grow up to a quarter of an hour, and are as long as the receiver asks, up to an hour', () => {
  expect([1, 2, 3, 50].map((tries) => pauseAfter(tries, null, 0.5))).toEqual([1_000, 2_000, 4_000, 900_000]);
  expect([0, 1].map((random) => pauseAfter(3, null, random))).toEqual([3_000, 5_000]);
  expect(pauseAfter(1, 60_000, 0.5)).toBe(60_000);
  expect(pauseAfter(1, 100_000_000, 0.5)).toBe(3_600_000);
});

const USUAL: DeliveryAttempt = {
  kind: 'webhook',
  status: 200,
  tries: 1,
  failingForMs: null,
  entries: 1,
  successorPasses: false,
};

const tried = (attempt: Partial<DeliveryAttempt>) => deliveryOutcome({ ...USUAL, ...attempt });
