import { Readable, Writable } from 'node:stream';
import { ImportProgress, tally, type Tally } from './import-report';

/** A terminal, and what is written to it. */
function terminal() {
  let written = '';
  const stream = new Writable({
    write: (chunk: Buffer, _, done) => {
      written += chunk.toString();
      done();
    },
  });
  return { stream: Object.assign(stream, { isTTY: true, columns: 120 }), written: () => written };
}

const source = (bytes: number | undefined) => ({ name: 'access.log', bytes, open: () => Readable.from([]) });

describe('the progress of an import', () => {
  it('is a bar over the bytes of all files', () => {
    const { stream, written } = terminal();
    const progress = new ImportProgress([source(1_500_000), source(500_000)], stream);
    progress.add(1_000_000);
    progress.stop();
    expect(written()).toMatch(/importing .*50% · 1\.0 MB read · .* left/);
  });

  it('is what was read where a size is unknown, as of a pipe', () => {
    const { stream, written } = terminal();
    const progress = new ImportProgress([source(100), source(undefined)], stream);
    progress.add(2_500_000);
    progress.stop();
    expect(written()).toMatch(/importing · 2\.5 MB read/);
    expect(written()).not.toContain('%');
  });

  it('is not shown where there is no terminal', () => {
    const { stream, written } = terminal();
    const progress = new ImportProgress([source(100)], Object.assign(stream, { isTTY: false }));
    progress.clearLine();
    progress.add(100);
    progress.stop();
    expect(written()).toBe('');
  });
});

it('an example is shown without what a terminal would obey', () => {
  const tallies = new Map<string, Tally>();
  tally(tallies, 'css', '/\u001b[2J\u009b.css');
  expect(tallies.get('css')?.example).toBe('/%1B[2J%C2%9B.css');
});
