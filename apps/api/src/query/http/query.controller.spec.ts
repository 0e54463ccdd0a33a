import type { Row } from '@ledgerline/domain/query/rows';
import { csvOf as linesOf } from './query.controller';

const csvOf = (columns: readonly string[], rows: readonly Row[]) => [...linesOf(columns, rows)].join('');

describe('CSV', () => {
  it('has a header and ends every line with CRLF', () =>
    expect(csvOf(['name', 'n'], [{ name: '/', n: 1 }])).toBe('name,n\r\n/,1\r\n'));

  it('quotes commas, quotes and line breaks', () =>
    expect(csvOf(['a'], [{ a: 'x,"y"\nz' }])).toBe('a\r\n"x,""y""\nz"\r\n'));

  it('leaves empty what is null', () => expect(csvOf(['a', 'b'], [{ a: null, b: 0 }])).toBe('a,b\r\n,0\r\n'));

  it('disarms what a spreadsheet would run', () => {
    for (const text of ['=1+1', '+1', '-1', '@SUM(A1)']) expect(csvOf(['a'], [{ a: text }])).toBe(`a\r\n'${text}\r\n`);
    expect(csvOf(['a'], [{ a: '\t=1' }])).toBe("a\r\n'\t=1\r\n");
    expect(csvOf(['a'], [{ a: -1 }])).toBe('a\r\n-1\r\n');
  });

  it('writes deeper values as JSON', () => expect(csvOf(['a'], [{ a: [{ b: 1 }] }])).toBe('a\r\n"[{""b"":1}]"\r\n'));
});
