const NONE = -1;
const GOLDEN = 0x9e3779b1;

/** Two counts of each path (text id, from 0), in a hash table of typed arrays with open addressing. */
export class CountsByPath {
  private paths = new Int32Array();
  private first = new Float64Array();
  private second = new Float64Array();
  /** Of a hash; as many places as its bits can name are used. */
  private bits = 0;

  /** Makes it empty, with room for so many paths. */
  clear(most: number): void {
    this.bits = 33 - Math.clz32(most + 1);
    const places = 2 ** this.bits;
    if (this.paths.length < places) {
      this.paths = new Int32Array(places);
      this.first = new Float64Array(places);
      this.second = new Float64Array(places);
    }
    this.paths.fill(NONE, 0, places);
  }

  add(path: number, first: number, second: number): void {
    const { paths, bits } = this;
    const last = 2 ** bits - 1;
    let place = Math.imul(path, GOLDEN) >>> (32 - bits);
    while (paths[place] !== path && paths[place] !== NONE) place = (place + 1) & last;
    if (paths[place] === NONE) {
      paths[place] = path;
      this.first[place] = 0;
      this.second[place] = 0;
    }
    this.first[place] = (this.first[place] ?? 0) + first;
    this.second[place] = (this.second[place] ?? 0) + second;
  }

  each(visit: (path: number, first: number, second: number) => void): void {
    for (let place = 0; place < 2 ** this.bits; place++) {
      const path = this.paths[place] ?? NONE;
      if (path !== NONE) visit(path, this.first[place] ?? 0, this.second[place] ?? 0);
    }
  }
}
