import { hash } from 'node:crypto';
import { applyDecorators } from '@nestjs/common';
import { ApiHeader, ApiResponse } from '@nestjs/swagger';

interface Tagging {
  /** Without quotes; by default a hash of the body. */
  readonly tag?: string;
  /** Cache-Control; by default nothing may keep the answer except clients that compare the tag themselves. */
  readonly cacheControl?: string;
  /** The type of a body that is a text, and is sent as it is; by default that of JSON. */
  readonly contentType?: string;
  /** Further ones. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Cache-Control of what the browser of one person may keep, but compares with the server before each use. */
export const PRIVATE = 'private, no-cache';

/** Cache-Control of what everybody sees, and may keep for a minute. */
export const SHARED_MINUTE = 'public, max-age=60';

/** An answer with an ETag, which a route returns: the adapter answers 304 to a client that has the same body already. */
export class TaggedAnswer<Body> {
  constructor(
    readonly body: Body,
    readonly tagging: Tagging = {},
  ) {}

  /** The body with its headers, as JSON unless it is a text of another type; without the body for a client that has one of these tags. */
  toSend(known: string | undefined): { readonly headers: Readonly<Record<string, string>>; readonly text?: string } {
    const { tag, cacheControl, contentType = JSON_TYPE, headers: more } = this.tagging;
    const text = contentType === JSON_TYPE ? JSON.stringify(this.body) : String(this.body);
    const etag = `"${tag ?? hash('sha256', text, 'base64url')}"`;
    const headers = { ...more, etag, ...(cacheControl === undefined ? {} : { 'cache-control': cacheControl }) };
    if (isAmong(known, etag)) return { headers };
    return { headers: { ...headers, 'content-type': contentType }, text };
  }
}

const JSON_TYPE = 'application/json; charset=utf-8';

/** Documents a route that returns a {@link TaggedAnswer}. */
export const ApiEntityTag = () =>
  applyDecorators(
    ApiHeader({ name: 'If-None-Match', required: false, description: 'An `ETag`: 304 while the answer is the same' }),
    ApiResponse({ status: 304, description: 'The answer is still that with the `ETag`' }),
  );

/** Weak tags are the same as strong ones here: equal answers are equal byte for byte. */
const isAmong = (known = '', etag: string): boolean =>
  known.split(',').some((each) => [etag, '*'].includes(each.trim().replace(/^W\//, '')));
