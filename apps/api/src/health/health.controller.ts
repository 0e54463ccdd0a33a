import { Controller, Get, HttpStatus, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiServiceUnavailableResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { Public } from '../http/route';
import { COPIER_REPORT } from './copier-report';
import { Readiness, type ReadinessReport } from './readiness';

const text = { type: 'string' };
const PROJECTION = {
  group: text,
  store: { type: 'integer', description: 'The place of its read store; absent for the registry' },
  version: { type: 'integer' },
  status: { ...text, enum: ['ok', 'stopped'] },
  reason: text,
  events: { type: 'integer' },
  asOf: { type: ['string', 'null'], format: 'date-time' },
  lagMs: { type: 'integer' },
};
const READ_STORE = { store: { type: 'integer' }, status: { ...text, enum: ['ok', 'empty', 'down'] } };
const SEALING_FAULT = { organization: text, reason: text, since: { ...text, format: 'date-time' } };
const REPORT = {
  type: 'object',
  properties: {
    status: {
      ...text,
      enum: ['ok', 'degraded', 'unavailable'],
      description: 'degraded: websites and links of a read store that is not ok are refused, all others are answered',
    },
    reason: text,
    eventStore: { ...text, enum: ['ok', 'down'] },
    database: { ...text, enum: ['ok', 'down'] },
    readStores: { type: 'array', items: { type: 'object', properties: READ_STORE } },
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
  @ApiOperation({ summary: 'Readiness: the stores respond and every projection advances; 200 while degraded' })
  @ApiOkResponse({ schema: REPORT })
  @ApiServiceUnavailableResponse({
    description: 'The same report; `reason` and `status` name the cause',
    schema: REPORT,
  })
  async ready(@Res({ passthrough: true }) reply: FastifyReply): Promise<ReadinessReport> {
    const report = await this.readiness.report();
    if (report.status === 'unavailable') void reply.status(HttpStatus.SERVICE_UNAVAILABLE).header('retry-after', '5');
    return report;
  }
}
