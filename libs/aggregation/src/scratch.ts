/**
 * Memory for columns that the next task of a thread uses again. TRICKY: fresh pages of memory cost several times what is
 * done with the numbers in them.
 */
class Arena {
  private block = new ArrayBuffer(0);
  private used = 0;
  private wanted = 0;

  /** Any numbers; zeros of their own memory beyond what is kept. */
  take<Column extends Int32Array | Float64Array | Uint8Array>(kind: ColumnKind<Column>, size: number): Column {
    const bytes = 8 * Math.ceil((size * kind.BYTES_PER_ELEMENT) / 8);
    const from = this.used;
    this.wanted += bytes;
    if (from + bytes > this.block.byteLength) return new kind(size);
    this.used += bytes;
    return new kind(this.block, from, size);
  }

  /** Returns whether a column lies in memory that was used before. */
  has({ buffer }: ArrayBufferView): boolean {
    return buffer === this.block;
  }

  /** Nothing that was taken may be used any more; up to so many bytes are kept. */
  reset(most: number): void {
    const { byteLength } = this.block;
    const kept = Math.min(Math.max(this.wanted, byteLength), most);
    if (kept !== byteLength) this.block = new ArrayBuffer(kept);
    this.used = 0;
    this.wanted = 0;
  }
}

interface ColumnKind<Column> {
  readonly BYTES_PER_ELEMENT: number;
  new (size: number): Column;
  new (buffer: ArrayBuffer, from: number, size: number): Column;
}

/** Memory for a whole task. */
const OF_TASK = new Arena();
/** Memory for a step of a task: about a fifth of that of the task. */
const OF_STEP = new Arena();
const SHARE_OF_STEPS = 1 / 6;
let current: Arena | undefined;
let bytesOfSteps = 0;

/**
 * Columns that are made meanwhile are only valid until it is done.
 * @param bytes that are kept for the next task
 */
export function inScratch<Result>(bytes: number, task: () => Result): Result {
  bytesOfSteps = Math.floor(bytes * SHARE_OF_STEPS);
  try {
    return within(OF_TASK, task);
  } finally {
    OF_TASK.reset(bytes - bytesOfSteps);
  }
}

/** A step of a task: columns that are made meanwhile are only valid until it is done, but for those that are remembered. */
export function inStep<Result>(step: () => Result): Result {
  if (current === undefined) return step();
  try {
    return within(OF_STEP, step);
  } finally {
    OF_STEP.reset(bytesOfSteps);
  }
}

/** Returns a function that makes each thing once; it is valid for the whole task. */
export function remember<Name, Made>(make: (name: Name) => Made): (name: Name) => Made {
  const made = new Map<Name, Made>();
  return (name) => {
    const known = made.get(name);
    if (known !== undefined) return known;
    const fresh = inTask(() => make(name));
    made.set(name, fresh);
    return fresh;
  };
}

/** Returns a function that makes a thing once for each of those that come and go. */
export function rememberOf<Thing extends object, Made>(make: (thing: Thing) => Made): (thing: Thing) => Made {
  const made = new WeakMap<Thing, Made>();
  return (thing) => {
    const known = made.get(thing) ?? inTask(() => make(thing));
    made.set(thing, known);
    return known;
  };
}

const inTask = <Made>(make: () => Made): Made => (current ? within(OF_TASK, make) : make());

function within<Result>(arena: Arena, work: () => Result): Result {
  const before = current;
  current = arena;
  try {
    return work();
  } finally {
    current = before;
  }
}

/** A column to be written whole: nothing is said of its numbers. */
export const blank = <Column extends Int32Array | Float64Array | Uint8Array>(
  kind: ColumnKind<Column>,
  size: number,
): Column => current?.take(kind, size) ?? new kind(size);

/** Memory of its own is zeros already. */
function zeros<Column extends Int32Array | Float64Array | Uint8Array>(kind: ColumnKind<Column>, size: number): Column {
  const column = blank(kind, size);
  if (current?.has(column)) column.fill(0);
  return column;
}

/** Columns of zeros. */
export const integers = (size: number): Int32Array => zeros(Int32Array, size);
export const floats = (size: number): Float64Array => zeros(Float64Array, size);
export const bytes = (size: number): Uint8Array => zeros(Uint8Array, size);
