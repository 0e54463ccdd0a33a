import { Controller, Get, HttpStatus, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { Public } from '../auth/permissions';
import { Readiness, type ReadinessReport } from './readiness';

@ApiTags('Health')
@Controller('health')
@Public()
export class HealthController {
  constructor(private readonly readiness: Readiness) {}

  /** Alive: the process answers. */
  @Get()
  alive(): { status: 'ok' } {
    return { status: 'ok' };
  }

  /** Ready: the stores answer and every projection moves. */
  @Get('ready')
  async ready(@Res({ passthrough: true }) reply: FastifyReply): Promise<ReadinessReport> {
    const report = await this.readiness.report();
    if (report.status !== 'ok') void reply.status(HttpStatus.SERVICE_UNAVAILABLE).header('retry-after', '5');
    return report;
  }
}
