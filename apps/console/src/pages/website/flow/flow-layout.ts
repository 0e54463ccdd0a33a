/** Where a box is in its column, in pixels from its top. */
export interface Placed {
  readonly top: number;
  readonly height: number;
}

/** The height of every column, and the least of a box, which has room for its name; in pixels. */
export const HEIGHT = 416;
export const LEAST_BOX = 26;

/** Places boxes below each other over the height of a column: what is above the least is shared by their sizes. */
export function placeBoxes(sizes: readonly number[]): readonly Placed[] {
  const whole = sizes.reduce((sum, size) => sum + size, 0);
  const shared = HEIGHT - LEAST_BOX * sizes.length;
  let top = 0;
  return sizes.map((size) => {
    const height = LEAST_BOX + (whole > 0 ? size / whole : 1 / sizes.length) * shared;
    top += height;
    return { top: top - height, height };
  });
}
