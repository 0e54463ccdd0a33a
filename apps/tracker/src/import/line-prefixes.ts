import { parseRecord } from './formats/json-record';
import { boundedLine } from './sources';

/** A line as its program wrote it, or a part of one. */
interface Unprefixed {
  readonly text: string;
  /** The name that parts of one line have in common; undefined = it is whole. */
  readonly stream?: string;
  readonly isLast?: boolean;
}

/** Takes a prefix off a line; null where it has none of that kind. */
type Prefix = (line: string) => Unprefixed | null;

const INSTANT = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)`;
const COLOUR = String.raw`(?:\u001b\[[\d;]*m)*`;

/** `time stream F line` of Kubernetes (CRI), where P is a part that goes on in the next of its stream. */
const CRI = new RegExp(`^${INSTANT} (stdout|stderr) ([FP])(?::\\S*)? (.*)$`, 's');
/** `journalctl` with its time in one of its short forms: `time host program[pid]: line`. */
const JOURNAL = new RegExp(
  String.raw`^(?:[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d(?:\.\d+)?|${INSTANT}|[A-Z][a-z]{2} \d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)? \S+|\d+\.\d{6}|\[ *\d+\.\d+\]) (?:\S+ )?[^\s:[\]{}"]+(?:\[\d+\])?: `,
);
/** `docker logs --timestamps` and `kubectl logs --timestamps`. */
const TIMESTAMP = new RegExp(`^${INSTANT} `);
/** `docker compose logs` and `docker service logs`: `name  | line`. */
const COMPOSE = new RegExp(String.raw`^ *${COLOUR}[\w.@-]+ +\|${COLOUR} ?${COLOUR}`);
/** `kubectl logs --prefix`. */
const POD = /^\[pod\/\S+\] /;

const matched =
  (pattern: RegExp): Prefix =>
  (line) => {
    const [prefix] = pattern.exec(line) ?? [];
    return prefix === undefined ? null : { text: line.slice(prefix.length) };
  };

/** All of them, in the order in which they are tried; a line can have several. */
const PREFIXES: readonly Prefix[] = [
  cri,
  matched(JOURNAL),
  matched(TIMESTAMP),
  matched(COMPOSE),
  matched(POD),
  jsonFile,
  journalJson,
];

function cri(line: string): Unprefixed | null {
  const [, stream = '', tag, text] = CRI.exec(line) ?? [];
  return text === undefined ? null : { text, stream: `cri ${stream}`, isLast: tag === 'F' };
}

/** Docker writes a longer line in parts of this many bytes. */
const PART_BYTES = 16 * 1024;

/** The json-file driver of Docker: `{"log":"line\n","stream":"stdout","time":"…"}`. */
function jsonFile(line: string): Unprefixed | null {
  if (!line.startsWith('{') || !line.includes('"log"')) return null;
  const { log, stream } = parseRecord(line) ?? {};
  if (typeof log !== 'string') return null;
  const isLast = log.endsWith('\n') || Buffer.byteLength(log) < PART_BYTES;
  return { text: log.replace(/\n$/, ''), stream: `json ${stream === 'stderr' ? 'stderr' : 'stdout'}`, isLast };
}

/** `journalctl -o json`, where bytes that are no text make an array. */
function journalJson(line: string): Unprefixed | null {
  if (!line.startsWith('{') || !line.includes('"MESSAGE"')) return null;
  const message = parseRecord(line)?.MESSAGE;
  if (typeof message === 'string') return { text: message };
  return Array.isArray(message) ? { text: Buffer.from(message as number[]).toString() } : null;
}

/** Takes the prefixes of Docker, Kubernetes and systemd off the lines of one file, so that a line is the same with any. */
export class LinePrefixes {
  private readonly parts = new Map<string, string>();

  /** The line without its prefixes; null for a part of one that goes on. */
  take(line: string): string | null {
    let text = line;
    for (;;) {
      const found = unprefixed(text);
      if (found === null) return text;
      const whole = this.joined(found);
      if (whole === null) return null;
      text = whole;
    }
  }

  /** True if a line has begun that has not ended. */
  get hasPart(): boolean {
    return this.parts.size > 0;
  }

  private joined({ text, stream = '', isLast = true }: Unprefixed): string | null {
    const whole = boundedLine((this.parts.get(stream) ?? '') + text);
    if (isLast) this.parts.delete(stream);
    else this.parts.set(stream, whole);
    return isLast ? whole : null;
  }
}

function unprefixed(line: string): Unprefixed | null {
  for (const prefix of PREFIXES) {
    const found = prefix(line);
    if (found !== null) return found;
  }
  return null;
}
