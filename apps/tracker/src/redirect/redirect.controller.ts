import { Controller, Get, Head, Inject, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Redirector } from './redirector';

/** TRICKY: not `@Param`, for whose pipes Nest would wait some turns before it answers. */
type Named = FastifyRequest<{ Params: { slug: string } }>;

/** Short links and their QR codes. */
@Controller()
export class RedirectController {
  constructor(@Inject(Redirector) private readonly redirector: Redirector) {}

  @Get(':slug')
  follow(@Req() request: Named, @Res() reply: FastifyReply): Promise<void> | void {
    return this.redirector.answer(request.params.slug, request, reply);
  }

  @Head(':slug')
  look(@Req() request: Named, @Res() reply: FastifyReply): Promise<void> | void {
    return this.redirector.answer(request.params.slug, request, reply);
  }
}
