import { createHash } from 'node:crypto';
import { applyDecorators, UseInterceptors, type NestInterceptor } from '@nestjs/common';
import { ApiHeader, ApiResponse } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { map } from 'rxjs';

interface Tagging<Body> {
  /** Makes the tag of an answer, without quotes; by default a hash of all of it. */
  readonly tagOf?: (body: Body) => string;
  /** The Cache-Control of the answer; by default nothing may keep it except clients that compare the tag themselves. */
  readonly cacheControl?: string;
}

/** Cache-Control of answers that the browser of one person may keep, but compares with the server before each use. */
export const PRIVATE = 'private, no-cache';

/** Gives the answers of a route an ETag: 304 without a body for clients that have the answer already. */
export const EntityTag = <Body = unknown>(tagging: Tagging<Body> = {}) =>
  applyDecorators(
    UseInterceptors(tagged(tagging)),
    ApiHeader({ name: 'If-None-Match', required: false, description: 'An `ETag`: 304 while the answer is the same' }),
    ApiResponse({ status: 304, description: 'The answer is still that with the `ETag`' }),
  );

const tagged = <Body>({ tagOf = hashOf, cacheControl }: Tagging<Body>): NestInterceptor<Body, Body | undefined> => ({
  intercept: (context, next) => {
    const http = context.switchToHttp();
    const reply = http.getResponse<FastifyReply>();
    const known = http.getRequest<FastifyRequest>().headers['if-none-match'];
    return next.handle().pipe(
      map((body) => {
        const etag = `"${tagOf(body)}"`;
        void reply.header('etag', etag);
        if (cacheControl !== undefined) void reply.header('cache-control', cacheControl);
        if (!isKnown(etag, known)) return body;
        void reply.status(304);
        return undefined;
      }),
    );
  },
});

const hashOf = (body: unknown): string => createHash('sha256').update(JSON.stringify(body)).digest('base64url');

/** Weak tags are the same as strong ones here: equal answers are equal byte for byte. */
const isKnown = (etag: string, known = ''): boolean =>
  known.split(',').some((each) => [etag, '*'].includes(each.trim().replace(/^W\//, '')));
