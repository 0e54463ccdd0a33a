import { numberOf, parseDecimal, Revenues } from './amounts';

describe('an amount', () => {
  it.each([
    ['19.99', 19.99],
    ['-0.3', -0.3],
    ['1e3', 1_000],
    ['12E-2', 0.12],
    ['1e-5000', 0],
    ['1e15', 1e15],
    ['-1000000000000000.000', -1e15],
  ])('%s is a number', (text, number) => expect(numberOf(parseDecimal(text)!)).toBe(number));

  it.each(['1,50', ' 7', '', 'true', '0x10', '1e400', '1e308', '1000000000000000.01', '-1e16', '.5', 'NaN'])(
    '%j is none',
    (text) => expect(parseDecimal(text)).toBeUndefined(),
  );
});

describe('revenue', () => {
  it('is added up to the last digit, by currency', () => {
    const amounts = ['0.1', '0.2', '"0.30"', '999999999999999.9', '-999999999999999.9'];
    expect(figuresOf(amounts.map((amount, at) => [amount, '"EUR"', at]))).toEqual([
      { currency: 'EUR', sum: 0.6, events: 5, visitors: 5, average: 0.12, median: 0.2, unreadable: 0 },
    ]);
  });

  it('has averages of four decimals, halves away from zero, and lower medians', () => {
    expect(
      figuresOf([
        ['1', 'EUR', 0],
        ['1', 'EUR', 0],
        ['0.00005', 'EUR', 0],
      ]),
    ).toMatchObject([{ average: 0.6667, median: 1, visitors: 1 }]);
    expect(
      figuresOf([
        ['-0.0001', 'EUR', 0],
        ['0', 'EUR', 1],
      ]),
    ).toMatchObject([{ average: -0.0001, median: -0.0001 }]);
  });

  it('is of a currency in capitals, or of an unknown one that comes last', () =>
    expect(
      figuresOf([
        ['1', '"euro"', 0],
        ['2', '" usd "', 0],
        ['3', undefined, -1],
        ['4', '5', 0],
      ]),
    ).toMatchObject([
      { currency: 'USD', sum: 2 },
      { currency: null, sum: 8, events: 3, visitors: 1 },
    ]));

  it('leaves out missing amounts, and says how many are none', () =>
    expect(
      figuresOf([
        [undefined, 'EUR', 0],
        ['null', 'EUR', 0],
        ['"1,50"', 'EUR', 0],
        ['true', 'EUR', 1],
        ['1e308', 'EUR', 1],
        ['"1e308"', 'EUR', 2],
      ]),
    ).toEqual([{ currency: 'EUR', sum: 0, events: 0, visitors: 0, average: null, median: null, unreadable: 4 }]));
});

function figuresOf(amounts: readonly (readonly [amount?: string, currency?: string, visitor?: number])[]) {
  const revenues = new Revenues();
  for (const [amount, currency, visitor = -1] of amounts) revenues.add(amount, currency, visitor);
  return revenues.figures;
}
