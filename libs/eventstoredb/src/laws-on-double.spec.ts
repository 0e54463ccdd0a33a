import { guardedDouble } from '@test/event-store/eventstoredb-double/guarded-double';
import { eventStoreLaws } from '@test/event-store/laws/event-store.laws';
import { sealing } from '@test/event-store/laws/harness';
import { proxyTo } from '@test/network/breakable-proxy';
import { EventStoreDbEventStore } from './eventstoredb-event-store';

eventStoreLaws('the event store on a double of EventStoreDB, with TLS and a password', async ({ isSealed }) => {
  const guarded = await guardedDouble();
  const proxy = await proxyTo('127.0.0.1', guarded.double.port);
  const sealed = await EventStoreDbEventStore.open(guarded.url(), isSealed ? { seal: sealing } : {});
  return {
    open: () => EventStoreDbEventStore.open(guarded.url('admin', undefined, proxy.port), { timeoutMs: 4_000 }),
    killConnections: () => {
      proxy.cut();
      return Promise.resolve();
    },
    copy: () => {
      const copy = guarded.double.log.copy();
      return Promise.resolve(() => {
        guarded.double.restore(copy.copy());
        proxy.cut();
        return Promise.resolve();
      });
    },
    visibleWithinMs: 10_000,
    close: async () => {
      await sealed.close();
      await proxy.close();
      guarded.stop();
    },
  };
});
