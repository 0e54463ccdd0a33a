import { Controller, Get, Head, Inject, Param, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Redirector } from './redirector';

/** Short links and their QR codes. */
@Controller()
export class RedirectController {
  constructor(@Inject(Redirector) private readonly redirector: Redirector) {}

  @Get(':slug')
  follow(
    @Param('slug') name: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> | void {
    return this.redirector.answer(name, request, reply);
  }

  @Head(':slug')
  look(@Param('slug') name: string, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> | void {
    return this.redirector.answer(name, request, reply);
  }
}
