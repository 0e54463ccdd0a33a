type Value = string | { readonly [name: string]: Value };

/** A MaxMind database (format 2.0) of one node, which has the same record for every address. */
export function mmdbOf(record: Value): Buffer {
  const everywhere = number(NODES + SEPARATOR.length, 3);
  const metadata = map({
    node_count: number(NODES, 4, UINT32),
    record_size: number(24, 2, UINT16),
    ip_version: number(4, 2, UINT16),
    database_type: encoded('Test-City'),
    languages: Buffer.from([0, ARRAY - EXTENDED]),
    binary_format_major_version: number(2, 2, UINT16),
    binary_format_minor_version: number(0, 2, UINT16),
    build_epoch: Buffer.concat([Buffer.from([4, UINT64 - EXTENDED]), number(1_790_000_000, 4)]),
    description: map({}),
  });
  return Buffer.concat([everywhere, everywhere, SEPARATOR, encoded(record), MARKER, metadata]);
}

const NODES = 1;
const SEPARATOR = Buffer.alloc(16);
const MARKER = Buffer.concat([Buffer.from([0xab, 0xcd, 0xef]), Buffer.from('MaxMind.com')]);
const STRING = 2;
const UINT16 = 5;
const UINT32 = 6;
const MAP = 7;
const UINT64 = 9;
const ARRAY = 11;
/** Types above 7 are written as 0 and, in a byte of their own, by how much they exceed it. */
const EXTENDED = 7;

function encoded(value: Value): Buffer {
  if (typeof value !== 'string') return map(Object.fromEntries(Object.entries(value).map(([k, v]) => [k, encoded(v)])));
  const text = Buffer.from(value);
  return Buffer.concat([control(STRING, text.length), text]);
}

const map = (entries: Readonly<Record<string, Buffer>>): Buffer =>
  Buffer.concat([
    control(MAP, Object.keys(entries).length),
    ...Object.entries(entries).flatMap(([name, value]) => [encoded(name), value]),
  ]);

/** Big-endian; with a type, preceded by its control byte. */
function number(value: number, bytes: number, type?: number): Buffer {
  const digits = Buffer.alloc(bytes);
  digits.writeUIntBE(value, 0, bytes);
  return type === undefined ? digits : Buffer.concat([control(type, bytes), digits]);
}

/** Up to 28 bytes or entries. */
const control = (type: number, size: number): Buffer => Buffer.from([(type << 5) | size]);
