import type { KeyCaller } from '@ledgerline/domain/access/caller';
import { contextOf, KEY } from '@test/tracker/intake-context-of';
import { identifyCaller } from './identify-caller.step';

const reader: KeyCaller = { ...KEY, scopes: ['read:data'] };

describe('the caller of a request', () => {
  it('is null without a key, and nothing is looked up', () =>
    expect(identifyCaller(contextOf({ name: 'a' }), knowing(KEY))).toBeUndefined());

  it('is the key', async () => {
    const context = contextOf({ name: 'a' }, { secret: 'svc_a' });
    await identifyCaller(context, knowing(KEY));
    expect(context.caller).toBe(KEY);
  });

  it.each([
    [undefined, 'AUTH_REQUIRED'],
    [reader, 'FORBIDDEN'],
    [{ ...KEY, resources: {} }, 'FORBIDDEN'],
  ])('is refused otherwise', (caller, code) =>
    expect(identifyCaller(contextOf({ name: 'a' }, { secret: 'svc_a' }), knowing(caller))).rejects.toMatchObject({
      code,
    }),
  );
});

const knowing = (caller: KeyCaller | undefined) => ({
  registry: { caller: () => Promise.resolve(caller), website: () => undefined },
});
