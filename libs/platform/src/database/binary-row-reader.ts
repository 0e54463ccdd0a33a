import { arrayLengthAt, bigintAt, elementsAt, timestampAt } from './binary-format';

/**
 * Reads the columns of one row, in order, out of `record_send(row(…))`. The driver reads rows as texts only; a row of
 * arrays as one binary value is read several times faster.
 */
export class BinaryRowReader {
  private at = 4;

  constructor(private readonly bytes: Buffer) {}

  boolean(): boolean {
    return this.bytes.readUInt8(this.next()) !== 0;
  }

  smallint(): number {
    return this.bytes.readInt16BE(this.next());
  }

  integer(): number {
    return this.bytes.readInt32BE(this.next());
  }

  bigint(): number {
    return bigintAt(this.bytes, this.next());
  }

  /** In epoch ms. */
  timestamp(): number {
    return timestampAt(this.bytes, this.next());
  }

  timestampOrNull(): number | null {
    return this.isNull() ? null : this.timestamp();
  }

  integerOrNull(): number | null {
    return this.isNull() ? null : this.integer();
  }

  /** As 32 hex digits. */
  uuid(): string {
    const at = this.next();
    return this.bytes.toString('hex', at, at + 16);
  }

  smallints(): number[] {
    return this.array((at) => this.bytes.readInt16BE(at));
  }

  integers(): number[] {
    return this.array((at) => this.bytes.readInt32BE(at));
  }

  /** The places of the elements of an array of uuids, for {@link uuidAt}: most are never looked at. */
  placesOfUuids(): number[] {
    return this.array((at) => at);
  }

  uuidAt(place: number): string {
    return this.bytes.toString('hex', place, place + 16);
  }

  /** In epoch ms. */
  timestamps(): number[] {
    return this.array((at) => timestampAt(this.bytes, at));
  }

  /** Whether the next column is null; steps over it then. */
  private isNull(): boolean {
    if (this.bytes.readInt32BE(this.at + 4) >= 0) return false;
    this.at += 8;
    return true;
  }

  /** Steps over the next column (type, length, value) and answers where its value begins; a null is not expected. */
  private next(): number {
    const value = this.at + 8;
    this.at = value + this.bytes.readInt32BE(this.at + 4);
    return value;
  }

  /** Of a one-dimensional array without nulls. */
  private array<T>(element: (at: number) => T): T[] {
    const start = this.next();
    const length = arrayLengthAt(this.bytes, start);
    const elements: T[] = [];
    let at = elementsAt(start, length);
    for (let place = 0; place < length; place++) {
      elements.push(element(at + 4));
      at += 4 + this.bytes.readInt32BE(at);
    }
    return elements;
  }
}
