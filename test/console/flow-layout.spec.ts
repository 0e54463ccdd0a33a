import { HEIGHT, LEAST_BOX, placeBoxes } from '../../apps/console/src/pages/website/flow/flow-layout';

describe('the boxes of a column', () => {
  it('are below each other over all of its height, by their sizes', () => {
    const [first, second] = placeBoxes([3, 1]);
    const shared = HEIGHT - 2 * LEAST_BOX;
    expect(first).toEqual({ top: 0, height: LEAST_BOX + (3 / 4) * shared });
    expect(second).toEqual({ top: first!.height, height: LEAST_BOX + (1 / 4) * shared });
  });

  it('have room for their names, however small they are', () => {
    const placed = placeBoxes([1_000_000, 1, 0]);
    for (const { height } of placed) expect(height).toBeGreaterThanOrEqual(LEAST_BOX);
    const last = placed.at(-1)!;
    expect(last.top + last.height).toBeCloseTo(HEIGHT);
  });

  it('are of one height where none has a size', () => {
    expect(placeBoxes([0, 0]).map(({ height }) => height)).toEqual([HEIGHT / 2, HEIGHT / 2]);
    expect(placeBoxes([])).toEqual([]);
  });
});
