import { ResponseSizeLimit } from './response';

describe('the budget of a response', () => {
  it('is shared by its entries, and keeps what a refused one did not take', async () => {
    const budget = new ResponseSizeLimit(1_000);
    await budget.take([{ text: 'x'.repeat(500) }]);
    await expect(budget.take([{ text: 'x'.repeat(600) }])).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    await budget.take([{ text: 'x'.repeat(300) }]);
  });

  it.each([
    ['texts', [{ name: 'größe', path: '/a/b' }]],
    ['nested values', [{ events: [{ id: 'a', properties: { plan: 'pro', seats: ['x', 'y'] } }, {}], stack: null }]],
    ['comparisons', [{ name: 'DE', visitors: 1234567, previous: { visitors: 12345678 } }]],
    ['many rows', Array.from({ length: 3_000 }, (_, at) => ({ name: `row number ${at}`, path: '/some/page' }))],
  ])('measures %s about as long as they are as JSON', async (_, rows) => {
    const length = JSON.stringify(rows).length;
    await new ResponseSizeLimit(length * 1.5).take(rows);
    await expect(new ResponseSizeLimit(length * 0.7).take(rows)).rejects.toThrow('32 MiB');
  });
});
