import { STATUS_CODES, type IncomingHttpHeaders } from 'node:http';
import type { Duplex } from 'node:stream';

/** What is needed of a request to refuse it; Fastify's have it, and those that never become one. */
export interface RefusedRequest {
  readonly id: string;
  readonly ip: string;
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  readonly routeOptions: { readonly url?: string | undefined };
}

/** What is needed of a reply to refuse a request. */
export interface RefusalReply {
  readonly sent: boolean;
  hasHeader(name: string): boolean;
  header(name: string, value: string | number): unknown;
  status(code: number): { send(body: object): unknown };
}

/** The reply to a request that Node refuses before it is one, written to its connection, which it ends. */
export class RawReply implements RefusalReply {
  private readonly headers = new Map<string, string>();

  constructor(private readonly socket: Duplex) {}

  get sent(): boolean {
    return !this.socket.writable;
  }

  hasHeader(name: string): boolean {
    return this.headers.has(name.toLowerCase());
  }

  header(name: string, value: string | number): this {
    this.headers.set(name.toLowerCase(), String(value).replaceAll(/[^\x20-\x7e]/g, ''));
    return this;
  }

  status(code: number): { send(body: object): void } {
    return { send: (body) => this.write(code, JSON.stringify(body)) };
  }

  private write(code: number, body: string): void {
    if (this.sent) return;
    this.header('content-type', 'application/json; charset=utf-8');
    this.header('content-length', String(Buffer.byteLength(body)));
    this.header('connection', 'close');
    const lines = [...this.headers].map(([name, value]) => `${name}: ${value}\r\n`).join('');
    this.socket.end(`HTTP/1.1 ${code} ${STATUS_CODES[code] ?? ''}\r\n${lines}\r\n${body}`);
  }
}
