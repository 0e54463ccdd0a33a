import { Controller, Get, HttpStatus, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiServiceUnavailableResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { Public } from '../http/route';
import { COPIER_REPORT } from './copier-report';
import { Readiness, type ReadinessReport } from './readiness';

const text = { type: 'string' };
const PROJECTION = {
  group: text,
  version: { type: 'integer' },
  status: { ...text, enum: ['ok', 'stopped'] },
  reason: text,
  events: { type: 'integer' },
  asOf: { type: ['string', 'null'], format: 'date-time' },
  lagMs: { type: 'integer' },
};
const SEALING_FAULT = { organization: text, reason: text, since: { ...text, format: 'date-time' } };
const REPORT = {
  type: 'object',
  properties: {
    status: { ...text, enum: ['ok', 'unavailable'] },
    reason: text,
    eventStore: { ...text, enum: ['ok', 'down'] },
    database: { ...text, enum: ['ok', 'down'] },
    projections: { type: 'array', items: { type: 'object', properties: PROJECTION } },
    copier: COPIER_REPORT,
    sealing: {
      type: 'array',
      items: { type: 'object', properties: SEALING_FAULT },
      description: 'Organizations whose events are not sealed, at most 100; absent when there are none',
    },
  },
};

@ApiTags('Health')
@Controller('health')
@Public()
export class HealthController {
  constructor(private readonly readiness: Readiness) {}

  @Get()
  @ApiOperation({ summary: 'Liveness: the process responds' })
  @ApiOkResponse({ schema: { type: 'object', properties: { status: { type: 'string', enum: ['ok'] } } } })
  alive(): { status: 'ok' } {
    return { status: 'ok' };
  }

  @Get('ready')
  @ApiOperation({ summary: 'Readiness: the stores respond and every projection advances' })
  @ApiOkResponse({ schema: REPORT })
  @ApiServiceUnavailableResponse({
    description: 'The same report; `reason` and `status` name the cause',
    schema: REPORT,
  })
  async ready(@Res({ passthrough: true }) reply: FastifyReply): Promise<ReadinessReport> {
    const report = await this.readiness.report();
    if (report.status !== 'ok') void reply.status(HttpStatus.SERVICE_UNAVAILABLE).header('retry-after', '5');
    return report;
  }
}
