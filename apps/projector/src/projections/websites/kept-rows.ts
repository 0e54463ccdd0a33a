import { randomInt } from 'node:crypto';
import { KEPT_COUNT_NAMES, type keptCounts } from '@ledgerline/contracts/read-models/kept-counts';
import type { KeptCount } from '@ledgerline/domain/counting/count';
import { encodePack } from '@ledgerline/domain/counting/kept-bytes';
import { layoutOf, type KeptPack, type PackRows } from '@ledgerline/domain/counting/kept-pack';
import type { Row, Value } from '@ledgerline/platform/database/read-model-rows';

/** A row of `kept_counts` that is put together count by count. */
export class KeptRow {
  readonly packs = new Map<KeptCount, Uint8Array>();
  /** Of all packs together. */
  size = 0;
  private since = Infinity;
  private until = -Infinity;

  constructor(readonly website: number) {}

  /** Adds some rows of a pack, which are in the order of their days. */
  add(count: KeptCount, pack: KeptPack, from: number, to: number): void {
    if (from === to) return;
    const bytes = encodePack(layoutOf(count), pack, from, to);
    const [days] = pack.columns;
    this.since = Math.min(this.since, days?.[from] ?? Infinity);
    this.until = Math.max(this.until, days?.[to - 1] ?? -Infinity);
    this.packs.set(count, bytes);
    this.size += bytes.length;
  }

  values(): Row<typeof keptCounts> {
    const { website, since, until, size } = this;
    const packed = new Map(Array.from(this.packs, ([{ name }, bytes]) => [name, inHex(bytes)]));
    const columns = Object.fromEntries(KEPT_COUNT_NAMES.map((name) => [name, packed.get(name) ?? null]));
    const row: Record<string, Value> = { website, number: randomNumber(), since, until, size, ...columns };
    return row as Row<typeof keptCounts>; // each of its columns
  }
}

/** Rows of `kept_counts`, one for each website. */
export class KeptRows {
  private readonly byWebsite = new Map<number, KeptRow>();

  /** Adds what a count has of any websites, those of each one after another. */
  add(count: KeptCount, pack: PackRows): void {
    const { website: websites, size } = pack;
    for (let from = 0; from < size;) {
      const website = websites[from] as number;
      let to = from + 1;
      while (to < size && websites[to] === website) to++;
      const row = this.byWebsite.get(website) ?? new KeptRow(website);
      this.byWebsite.set(website, row);
      row.add(count, pack, from, to);
      from = to;
    }
  }

  get rows(): Iterable<KeptRow> {
    return this.byWebsite.values();
  }

  values(): readonly Row<typeof keptCounts>[] {
    return Array.from(this.rows, (row) => row.values());
  }
}

const inHex = ({ buffer, byteOffset, length }: Uint8Array): string =>
  Buffer.from(buffer, byteOffset, length).toString('hex');

/** Of 53 bits. */
const randomNumber = (): number => randomInt(2 ** 21) * 2 ** 32 + randomInt(2 ** 32);
