import { get } from 'node:http';
import { AS_BROWSER, newTenant, rowsOf } from '../reliability/tenant';
import { waitUntil } from '../wait-until';
import { startProduct, type RunningProduct } from './running-product';

describe('a short link of a new organization', () => {
  let product: RunningProduct;

  beforeAll(async () => {
    product = await startProduct();
  });
  afterAll(() => product.close());

  it('counts the visitor of the first click, which follows at once', async () => {
    const tenant = await newTenant(product.apiUrl);
    expect(await follow(tenant.slug, '127.0.0.1')).toBe(302);
    expect(await uniqueClicksOf(tenant, 1)).toEqual([{ total: 1, unique: 1 }]);
  });

  it('counts twenty visitors of first clicks from twenty addresses', async () => {
    const tenant = await newTenant(product.apiUrl);
    const addresses = Array.from({ length: 20 }, (_, n) => `127.0.0.${n + 2}`);
    const statuses = await Promise.all(addresses.map((address) => follow(tenant.slug, address)));
    expect(statuses).toEqual(addresses.map(() => 302));
    expect(await uniqueClicksOf(tenant, 20)).toEqual([{ total: 20, unique: 20 }]);
  });

  const follow = (slug: string, localAddress: string) =>
    new Promise<number | undefined>((resolve, reject) => {
      const options = { headers: AS_BROWSER, localAddress, agent: false };
      get(`${product.trackUrl}/${slug}`, options, (response) => resolve(response.resume().statusCode)).on(
        'error',
        reject,
      );
    });

  async function uniqueClicksOf(tenant: Awaited<ReturnType<typeof newTenant>>, clicks: number) {
    const look = async () => {
      await product.projector.catchUp();
      return rowsOf(product.apiUrl, tenant, 'link_unique_clicks', 'link');
    };
    return waitUntil(look, (rows) => Number(rows[0]?.total) >= clicks);
  }
});
