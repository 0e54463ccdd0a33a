import { eventStoreLaws } from '../event-store.laws';
import { proxyTo } from '../laws/breakable-proxy';
import { EventStoreDbDouble } from './double/eventstoredb-double';
import { EventStoreDbEventStore } from './eventstoredb-event-store';

const fail = (error: unknown): never => {
  throw error;
};

eventStoreLaws('the event store on a double of EventStoreDB', async () => {
  const double = await EventStoreDbDouble.start();
  const proxy = await proxyTo('127.0.0.1', double.port);
  const sealed = await EventStoreDbEventStore.open(double.url, { seal: { onFailure: fail } });
  return {
    open: () => EventStoreDbEventStore.open(`esdb://127.0.0.1:${proxy.port}?tls=false`),
    killConnections: () => {
      proxy.cut();
      return Promise.resolve();
    },
    visibleWithinMs: 10_000,
    close: async () => {
      await sealed.close();
      await proxy.close();
      double.stop();
    },
  };
});
