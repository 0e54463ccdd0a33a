import type { KeyCaller } from '@ledgerline/domain/access/caller';
import { deliveryOf, KEY } from '../../../../test/tracker/delivery-of';
import { identifyCaller } from './identify-caller.step';

const reader: KeyCaller = { ...KEY, scopes: ['read:data'] };

describe('who vouches for a request', () => {
  it('is nobody without a key, and nothing is asked', () =>
    expect(identifyCaller(deliveryOf({ name: 'a' }), knowing(KEY))).toBeUndefined());

  it('is the key', async () => {
    const delivery = deliveryOf({ name: 'a' }, { secret: 'svc_a' });
    await identifyCaller(delivery, knowing(KEY));
    expect(delivery.caller).toBe(KEY);
  });

  it.each([
    [undefined, 'AUTH_REQUIRED'],
    [reader, 'FORBIDDEN'],
    [{ ...KEY, resources: {} }, 'FORBIDDEN'],
  ])('is refused otherwise', (caller, code) =>
    expect(identifyCaller(deliveryOf({ name: 'a' }, { secret: 'svc_a' }), knowing(caller))).rejects.toMatchObject({
      code,
    }),
  );
});

const knowing = (caller: KeyCaller | undefined) => ({
  registry: { caller: () => Promise.resolve(caller), website: () => undefined },
});
