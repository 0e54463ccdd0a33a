import { projections, USAGE } from './projections';

describe('npm run projections', () => {
  it('rejects an unknown group and lists the groups', () =>
    expect(given('rebuild', 'nonsense')).rejects.toThrow(
      'There is no group "nonsense". The groups are registry, websites, links; "all" means all of them.',
    ));

  it('rejects an unknown command', () =>
    expect(given('rebiuld', 'links')).rejects.toThrow(`There is no command "rebiuld".\n\n${USAGE}`));

  it.each([[[]], [['verify']]])('prints its usage after %j', (words) =>
    expect(given(...words)).rejects.toThrow(new Error(USAGE)),
  );
});

const given = (...words: string[]) => projections(words, {});
