import { projections, USAGE } from './projections';
import { sentence } from './replay';

describe('npm run projections', () => {
  it('rejects an unknown group and lists the groups', () =>
    expect(given('rebuild', 'nonsense')).rejects.toThrow(
      'There is no group "nonsense". The groups are registry, websites, links, monitors; "all" means all of them.',
    ));

  it('rejects an unknown command', () =>
    expect(given('rebiuld', 'links')).rejects.toThrow(`There is no command "rebiuld".\n\n${USAGE}`));

  it('rejects --accept where nothing is switched, and further words', async () => {
    for (const words of [
      ['verify', 'links', '--accept'],
      ['rebuild', 'links', '--acept'],
    ])
      await expect(given(...words)).rejects.toThrow(`These arguments do not go together.\n\n${USAGE}`);
  });

  it('rejects an action on parked events that there is not, or on none', async () => {
    for (const words of [
      ['parked', 'frob'],
      ['parked', 'retry'],
    ])
      await expect(given(...words)).rejects.toThrow(/^Say which: parked list, or parked show\|retry\|accept with ids/);
  });

  it('prints differences that were accepted', () => {
    const differences = [{ table: 'sessions', onlyBefore: 1, onlyAfter: 0 }];
    const result = { version: 2, differences, flipped: true, flipMs: 1, heldUp: 0 };
    expect(sentence({ flip: true }, 'websites', result)).toBe(
      'websites differs from a rebuild from its log; the differences were accepted (--accept), and it now uses version 2:\n' +
        '  sessions: 1 rows only in the live version, 0 only in the rebuilt one',
    );
  });

  it.each([[[]], [['verify']]])('prints its usage after %j', (words) =>
    expect(given(...words)).rejects.toThrow(new Error(USAGE)),
  );
});

const given = (...words: string[]) => projections(words, {});
