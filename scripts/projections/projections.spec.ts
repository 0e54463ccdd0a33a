import { projections, USAGE } from './projections';

describe('npm run projections', () => {
  it('names the word that is no group, and the groups', () =>
    expect(given('rebuild', 'nonsense')).rejects.toThrow(
      'There is no group "nonsense". The groups are registry, websites, links; "all" is every one of them.',
    ));

  it('names the word that is no command', () =>
    expect(given('rebiuld', 'links')).rejects.toThrow(`There is no command "rebiuld".\n\n${USAGE}`));

  it.each([[[]], [['verify']]])('says what it takes after %j', (words) =>
    expect(given(...words)).rejects.toThrow(new Error(USAGE)),
  );
});

const given = (...words: string[]) => projections(words, {});
