import { eventStoreLaws } from '@test/event-store/laws/event-store.laws';
import { sealing } from '@test/event-store/laws/harness';
import { proxyTo } from '@test/network/breakable-proxy';
import { parseConnectionString } from './connection-string';
import { EventStoreDbEventStore } from './eventstoredb-event-store';

const url = process.env.EVENTSTORE_URL;

if (url) {
  const { place } = parseConnectionString(url);
  eventStoreLaws(`the event store on EventStoreDB at ${place}`, async () => {
    const [host = '', port = '2113'] = place.split(':');
    const proxy = await proxyTo(host, Number(port));
    const proxied = url.replace(place, `127.0.0.1:${proxy.port}`);
    const sealed = await EventStoreDbEventStore.open(url, { seal: sealing });
    return {
      open: () => EventStoreDbEventStore.open(proxied),
      killConnections: () => {
        proxy.cut();
        return Promise.resolve();
      },
      visibleWithinMs: 10_000,
      close: async () => {
        await sealed.close();
        await proxy.close();
      },
    };
  });
} else {
  console.warn('SKIPPED: the laws of the event store on a real EventStoreDB; name one in EVENTSTORE_URL to run them.');
  it.skip('the event store on EventStoreDB keeps the laws (set EVENTSTORE_URL)', () => undefined);
}
