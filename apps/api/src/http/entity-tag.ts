import { hash } from 'node:crypto';
import { applyDecorators } from '@nestjs/common';
import { ApiHeader, ApiResponse } from '@nestjs/swagger';

interface Tagging {
  /** Without quotes; by default a hash of the body. */
  readonly tag?: string;
  /** Cache-Control; by default nothing may keep the answer except clients that compare the tag themselves. */
  readonly cacheControl?: string;
}

/** Cache-Control of what the browser of one person may keep, but compares with the server before each use. */
export const PRIVATE = 'private, no-cache';

/** An answer with an ETag, which a route returns: the adapter answers 304 to a client that has the same body already. */
export class TaggedAnswer<Body> {
  constructor(
    readonly body: Body,
    readonly tagging: Tagging = {},
  ) {}

  /** The body as JSON with its headers; without the body for a client that has one of these tags. */
  toSend(known: string | undefined): { readonly headers: Readonly<Record<string, string>>; readonly text?: string } {
    const { tag, cacheControl } = this.tagging;
    const text = JSON.stringify(this.body);
    const etag = `"${tag ?? hash('sha256', text, 'base64url')}"`;
    const headers = { etag, ...(cacheControl === undefined ? {} : { 'cache-control': cacheControl }) };
    if (isAmong(known, etag)) return { headers };
    return { headers: { ...headers, 'content-type': 'application/json; charset=utf-8' }, text };
  }
}

/** Documents a route that returns a {@link TaggedAnswer}. */
export const ApiEntityTag = () =>
  applyDecorators(
    ApiHeader({ name: 'If-None-Match', required: false, description: 'An `ETag`: 304 while the answer is the same' }),
    ApiResponse({ status: 304, description: 'The answer is still that with the `ETag`' }),
  );

/** Weak tags are the same as strong ones here: equal answers are equal byte for byte. */
const isAmong = (known = '', etag: string): boolean =>
  known.split(',').some((each) => [etag, '*'].includes(each.trim().replace(/^W\//, '')));
