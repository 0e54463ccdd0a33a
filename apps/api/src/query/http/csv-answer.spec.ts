import type { AnswerRow } from '@ledgerline/domain/query/rows';
import { attachment } from '../../http/csv';
import { preferredType } from '../../http/route';
import {
  type ResultFields,
  count,
  listField,
  objectField,
  nullableField,
  ratio,
  textField,
} from '../declaration/fields';
import { columnsOf, csvOf as linesOf } from './csv-answer';

const csvOf = (fields: ResultFields, rows: readonly AnswerRow[]) =>
  [...linesOf(columnsOf(fields, rows), rows)].join('');

describe('CSV', () => {
  it('has a header and ends every line with CRLF', () =>
    expect(csvOf({ name: textField, n: count }, [{ name: '/', n: 1 }])).toBe('name,n\r\n/,1\r\n'));

  it('quotes commas, quotes and line breaks', () =>
    expect(csvOf({ a: textField }, [{ a: 'x,"y"\nz' }])).toBe('a\r\n"x,""y""\nz"\r\n'));

  it('leaves empty what is null', () =>
    expect(csvOf({ a: nullableField(textField), b: count }, [{ a: null, b: 0 }])).toBe('a,b\r\n,0\r\n'));

  it('disarms what a spreadsheet would run', () => {
    for (const formula of ['=1+1', '+1', '-1+1', '-a1', '@SUM(A1)'])
      expect(csvOf({ a: textField }, [{ a: formula }])).toBe(`a\r\n'${formula}\r\n`);
    expect(csvOf({ a: textField }, [{ a: '\t=1' }])).toBe("a\r\n'\t=1\r\n");
  });

  it('leaves negative numbers as they are, also those that are texts', () =>
    expect(csvOf({ a: textField }, [{ a: -1 }, { a: '-5.5' }, { a: '-7' }])).toBe('a\r\n-1\r\n-5.5\r\n-7\r\n'));

  it('has a column for each currency of a revenue', () => {
    const revenue = listField({ currency: nullableField(textField), sum: ratio, events: count, unreadable: count });
    const sum = (currency: string | null, amount: number) => ({ currency, sum: amount, events: 1, unreadable: 0 });
    const rows = [
      { name: 'a', revenue: [sum('USD', 5.25), sum('EUR', -2)] },
      { name: 'b', revenue: [sum(null, 7)] },
      { name: 'c', revenue: [] },
    ];
    expect(csvOf({ name: textField, revenue, n: count }, rows)).toBe(
      'name,revenue_EUR,revenue_USD,revenue_unknown,n\r\na,-2,5.25,,\r\nb,,,7,\r\nc,,,,\r\n',
    );
  });

  it('has a column for each property, deeper ones as text', () => {
    const rows = [
      { properties: { plan: 'pro', size: { width: 2, height: null } } },
      { properties: { tags: ['a', 'b'] } },
    ];
    expect(csvOf({ properties: objectField }, rows)).toBe(
      'properties_plan,properties_size,properties_tags\r\npro,width=2,\r\n,,a | b\r\n',
    );
  });

  it('has one column for more properties than people read', () => {
    const properties = Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`key${n}`, n]));
    const [header, line] = csvOf({ properties: objectField }, [{ properties }]).split('\r\n');
    expect(header).toBe('properties');
    expect(line).toMatch(/^key0=0; key1=1; .*; key50=50$/);
  });

  it('has the elements of a list beside each other', () => {
    const rows = [
      {
        events: [
          { name: 'a', path: null },
          { name: 'b', path: '/' },
        ],
      },
    ];
    expect(csvOf({ events: listField({ name: textField, path: nullableField(textField) }) }, rows)).toBe(
      'events\r\nname=a | name=b; path=/\r\n',
    );
  });

  it('is saved under words of any alphabet, and none that leads elsewhere', () => {
    expect(attachment(['Crêpes & Bücher', 'top_pages', '2026-03-02'], 'csv')).toBe(
      `attachment; filename="Crepes-Bucher_top_pages_2026-03-02.csv"; filename*=UTF-8''Cr%C3%AApes-B%C3%BCcher_top_pages_2026-03-02.csv`,
    );
    expect(attachment(['../"x"\r\n; y'], 'csv')).toBe(`attachment; filename="x-y.csv"; filename*=UTF-8''x-y.csv`);
  });
});

describe('the preferred media type', () => {
  const preferred = (accept?: string) => preferredType(accept, ['application/json', 'text/csv']);

  it.each([
    ['text/csv', 'text/csv'],
    ['TEXT/CSV; charset=utf-8', 'text/csv'],
    ['text/html, text/csv', 'text/csv'],
    ['text/csv, application/json', 'text/csv'],
    ['application/json, text/csv', 'application/json'],
    ['application/json;q=0.5, text/csv', 'text/csv'],
    ['text/csv;q=0.5, application/json;q=0.9', 'application/json'],
    ['text/csv, */*', 'text/csv'],
    ['text/csv;q=0.1, */*', 'application/json'],
    ['text/*', 'text/csv'],
    ['text/csv;q=0', 'application/json'],
    ['*/*', 'application/json'],
    ['text/html', 'application/json'],
    [undefined, 'application/json'],
  ])('of %s is %s', (accept, type) => expect(preferred(accept)).toBe(type));
});
