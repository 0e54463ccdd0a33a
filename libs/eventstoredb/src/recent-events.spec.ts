import { EventEmitter } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import {
  TimeoutError,
  UnavailableError,
  type AllStreamSubscription,
  type Filter,
  type Position,
  type SubscribeToAllOptions,
} from '@eventstore/db-client';
import type { Connection } from './connection';
import { positionToCursor } from './position';
import { RecentEvents } from './recent-events';

const at = (commit: number): Position => ({ commit: BigInt(commit), prepare: BigInt(commit) });
const cursor = (commit: number): string => positionToCursor(at(commit));

/** Subscriptions that deliver the events that a spec chooses. */
class Subscriptions {
  readonly from: SubscribeToAllOptions['fromPosition'][] = [];
  filter: Filter | undefined;
  /** Events that the driver has not emitted yet. */
  buffered = 0;
  private current = new EventEmitter();
  private begun: () => void = () => undefined;
  readonly client = {
    subscribeToAll: ({ fromPosition, filter }: SubscribeToAllOptions) => {
      this.from.push(fromPosition);
      this.filter = filter;
      this.current = Object.assign(new EventEmitter(), { unsubscribe: () => Promise.resolve() });
      queueMicrotask(() => this.begun());
      return this.current;
    },
  };

  next(): Promise<void> {
    return new Promise((resolve) => (this.begun = resolve));
  }

  confirm(): void {
    this.current.emit('confirmation');
  }

  bring(...commits: number[]): void {
    for (const commit of commits)
      this.current.emit('data', { event: { streamId: 'org_a-thing-1', position: at(commit) } });
  }

  checkpoint(commit: number): void {
    const subscription = { readableLength: this.buffered } as AllStreamSubscription; // as much of one as is used
    void this.filter?.checkpointReached?.(subscription, at(commit));
  }

  async fail(error: Error): Promise<void> {
    const next = this.next();
    this.current.emit('error', error);
    await next;
  }
}

describe('the recent events', () => {
  const subscriptions = (types?: readonly string[]) => {
    const given = new Subscriptions();
    const recent = new RecentEvents(given as unknown as Connection); // as much of one as it uses
    const after = (commit: number) =>
      recent.after(cursor(commit), types)?.events.map(({ position }) => Number(position?.commit));
    recent.include(types);
    recent.subscribe(() => undefined);
    given.confirm();
    return { given, recent, after };
  };
  const tooSlow = () => new TimeoutError(undefined, 'too slow');

  it('are those after the first one that the subscription brought', async () => {
    const { given, recent, after } = subscriptions();
    expect(after(0)).toBeUndefined();
    given.bring(10, 20, 30);
    expect([0, 9, 10, 15, 20, 30, 40].map(after)).toEqual([
      undefined,
      undefined,
      [20, 30],
      [20, 30],
      [30],
      undefined,
      undefined,
    ]);
    expect(recent.after('')).toBeUndefined();
    expect([9, 10, 30].map((commit) => recent.covers(cursor(commit)))).toEqual([false, true, true]);
    await recent.close();
  });

  it('go on without a gap where the server ended the subscription because it was too slow', async () => {
    const { given, recent, after } = subscriptions();
    given.bring(10, 20);
    await given.fail(tooSlow());
    given.bring(30);
    expect(given.from).toEqual(['end', at(20)]);
    expect(after(10)).toEqual([20, 30]);
    await recent.close();
  });

  it.each([
    ['another error', [10, 20], new UnavailableError()],
    ['a second one before any event', [], tooSlow()],
  ])('begin anew after %s', async (_, commits, error) => {
    const { given, recent, after } = subscriptions();
    given.bring(5);
    await given.fail(tooSlow());
    given.bring(...commits);
    await given.fail(error);
    given.bring(30, 40);
    expect(given.from).toEqual(['end', at(5), 'end']);
    expect([5, 20, 30].map(after)).toEqual([undefined, undefined, [40]]);
    await recent.close();
  });

  it('are no more than some thousand', async () => {
    const { given, recent, after } = subscriptions();
    given.bring(...Array.from({ length: 2_001 }, (_, n) => n + 1));
    expect(after(999)).toBeUndefined();
    expect(after(1_000)).toHaveLength(1_001);
    await recent.close();
  });

  it('announce nothing to a reader that is ahead of them, but all to one that may have missed something', async () => {
    const { given, recent } = subscriptions();
    const mayHaveAfter = (commit: number) => recent.mayHaveAfter(cursor(commit));
    expect(mayHaveAfter(10)).toBe(true);
    given.bring(10, 20);
    expect([5, 10, 19, 20, 30].map(mayHaveAfter)).toEqual([true, true, true, false, false]);
    expect(recent.mayHaveAfter('')).toBe(true);
    await given.fail(new UnavailableError());
    expect(mayHaveAfter(30)).toBe(true);
    await recent.close();
  });

  it('are of the types that are waited for, and reach up to the last checkpoint', async () => {
    const { given, recent, after } = subscriptions(['A', 'B']);
    expect(given.filter).toMatchObject({ filterOn: 'eventType', regex: '^(?:A|B)$' });
    given.checkpoint(10);
    given.bring(20);
    given.checkpoint(30);
    expect([5, 10, 20, 30].map(after)).toEqual([undefined, [20], [], undefined]);
    expect(recent.after(cursor(20), ['B'])).toEqual({ events: [], end: at(30) });
    expect([['C'], undefined].map((types) => recent.after(cursor(20), types))).toEqual([undefined, undefined]);
    await given.fail(tooSlow());
    expect(given.from).toEqual(['end', at(30)]);
    await recent.close();
  });

  it('do not reach up to a checkpoint before the events that came earlier', async () => {
    const { given, recent, after } = subscriptions(['A']);
    given.bring(10);
    given.buffered = 1;
    given.checkpoint(30);
    expect(after(10)).toBeUndefined();
    given.bring(20);
    expect(after(10)).toEqual([20]);
    await recent.close();
  });

  it('begin anew with another type', async () => {
    const { given, recent, after } = subscriptions(['A']);
    given.bring(10, 20);
    expect(after(10)).toEqual([20]);
    await setImmediate(); // the first subscription has begun
    const next = given.next();
    recent.include(['B']);
    expect(after(10)).toBeUndefined();
    await next;
    expect(given.filter).toMatchObject({ regex: '^(?:A|B)$' });
    given.bring(30, 40);
    expect([10, 30].map(after)).toEqual([undefined, [40]]);
    expect(given.from).toEqual(['end', 'end']);
    await recent.close();
  });

  it('report whether something was brought', async () => {
    const { given, recent } = subscriptions(['A']);
    const advanced = [recent.hasAdvanced()];
    given.checkpoint(10);
    advanced.push(recent.hasAdvanced(), recent.hasAdvanced());
    given.bring(20);
    advanced.push(recent.hasAdvanced(), recent.hasAdvanced());
    expect(advanced).toEqual([false, true, false, true, false]);
    await recent.close();
  });

  it('include what an append waits for', async () => {
    const { given, recent } = subscriptions();
    given.bring(10);
    const waiting = recent.at(at(20));
    given.bring(20);
    expect((await waiting)?.position).toEqual(at(20));
    expect((await recent.at(at(10)))?.position).toEqual(at(10));
    expect(await recent.at(at(15))).toBeUndefined();
    await recent.close();
  });
});
