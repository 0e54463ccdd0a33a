const NONE = -1;
const GOLDEN = 0x9e3779b1;

/** Two counts of each path (text id, from 0), in a hash table of typed arrays with open addressing. */
export class CountsByPath {
  private paths = new Int32Array();
  private first = new Float64Array();
  private second = new Float64Array();
  /** So many places are used, a power of two; and so far a hash of 32 bits is shifted to name one. */
  private places = 0;
  private shift = 0;

  /** Makes it empty, with room for so many paths. */
  clear(most: number): void {
    this.shift = Math.clz32(most + 1) - 1;
    const places = (this.places = 2 ** (32 - this.shift));
    if (this.paths.length < places) {
      this.paths = new Int32Array(places);
      this.first = new Float64Array(places);
      this.second = new Float64Array(places);
    }
    this.paths.fill(NONE, 0, places);
  }

  add(path: number, first: number, second: number): void {
    const { paths, places } = this;
    let place = Math.imul(path, GOLDEN) >>> this.shift;
    while (paths[place] !== path && paths[place] !== NONE) place = (place + 1) & (places - 1);
    if (paths[place] === NONE) {
      paths[place] = path;
      this.first[place] = 0;
      this.second[place] = 0;
    }
    this.first[place] = (this.first[place] ?? 0) + first;
    this.second[place] = (this.second[place] ?? 0) + second;
  }

  each(visit: (path: number, first: number, second: number) => void): void {
    const { paths, first, second, places } = this;
    for (let place = 0; place < places; place++) {
      const path = paths[place] ?? NONE;
      if (path !== NONE) visit(path, first[place] ?? 0, second[place] ?? 0);
    }
  }
}
