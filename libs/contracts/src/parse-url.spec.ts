import { parseUrl } from './parse-url';

describe('parseUrl', () => {
  it('is null for what is no address', () => expect(parseUrl('größe')).toBeNull());

  it('reads addresses with letters beyond ASCII, also after many calls', () => {
    let read = 0;
    for (let run = 0; run < 50_000; run++) read += parseUrl('https://bücher.de/größe') === null ? 0 : 1;
    expect(read).toBe(50_000);
  });
});
