import { deliveryOf, KEY } from '../../../../test/tracker/delivery-of';
import { UNKNOWN_PLACE } from '../geo/atlas';
import { UNKNOWN_AGENT } from '../visitors/agent';
import { forgetTheVisitorsAddress } from './forget-the-visitors-address.step';
import { locate } from './locate.step';
import { readUserAgent } from './read-user-agent.step';

const london = { country: 'GB', region: 'England', city: 'London' };
const atlas = { locate: (address: string) => (address === '81.2.69.142' ? london : UNKNOWN_PLACE) };

describe('where and with what somebody browses', () => {
  it('is read from the address and the user agent', () => {
    const delivery = deliveryOf({ name: 'a' });
    locate(delivery, { atlas });
    readUserAgent(delivery);
    expect(delivery.place).toBe(london);
    expect(delivery.agent).toEqual({ browser: 'Chrome', browserVersion: '126.0.0.0', os: 'Linux', device: 'desktop' });
  });

  it('is unknown for a server, but read from a browser’s user agent that a server relays', () => {
    const server = Object.assign(deliveryOf({ name: 'a' }, { caller: KEY }), { userAgent: 'node' });
    const relay = deliveryOf({ name: 'a' }, { caller: KEY });
    for (const delivery of [server, relay]) {
      locate(delivery, { atlas });
      readUserAgent(delivery);
    }
    expect([server.place, server.agent]).toEqual([UNKNOWN_PLACE, UNKNOWN_AGENT]);
    expect([relay.place, relay.agent.browser]).toEqual([london, 'Chrome']);
  });

  it('is forgotten before anything is recorded', () => {
    const delivery = deliveryOf({ name: 'a' });
    forgetTheVisitorsAddress(delivery);
    expect([delivery.address, delivery.userAgent]).toEqual([null, null]);
  });
});
