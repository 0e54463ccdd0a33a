import { placeNodes } from '../../apps/console/src/pages/website/flow/flow-layout';

const node = (path: string, sessions: number, ended = 0) => {
  const names = path === '' ? [] : path.split(' ');
  return { path: names, depth: names.length, sessions, ended };
};

describe('the drawing of journeys', () => {
  it('has the branches of a node below each other, inside of it', () => {
    const nodes = [node('', 14, 4), node('a', 6), node('b', 2), node('a c', 3), node('a d', 2), node('b c', 2)];
    expect(placeNodes(nodes).map(({ node: { path }, top, height }) => [path.join(' '), top, height])).toEqual([
      ['', 0, 1],
      ['a', 0, 0.6],
      ['b', 0.6, 0.2],
      ['a c', 0, 0.3],
      ['a d', 0.3, 0.2],
      ['b c', 0.6, 0.2],
    ]);
  });

  it('has room for the others where one is drawn lower than it is', () => {
    const nodes = [node('', 14), node('a', 6), node('Other', 8)];
    const placed = placeNodes(nodes, ({ path, sessions }) => (path[0] === 'Other' ? 2 : sessions));
    expect(placed.map(({ height }) => height)).toEqual([1, 0.75, 0.25]);
  });

  it('is nothing of nothing', () => expect(placeNodes([])).toEqual([]));

  it('is the beginning alone where all sessions end', () =>
    expect(placeNodes([node('', 3, 3)])).toMatchObject([{ top: 0, height: 1 }]));
});
