import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Requires } from '../http/route';
import { Readiness, type ReadinessReport } from './readiness';
import { REPORT } from './report-schema';

/** How far the installation is with what it counts: of all organizations together, as they share it. */
@ApiTags('Health')
@Controller('v1/projections')
@Requires('operator')
export class ProjectionsController {
  constructor(private readonly readiness: Readiness) {}

  @Get()
  @ApiOperation({
    summary: 'The state of the installation, with figures of all organizations together',
    description:
      'For operators who are signed in: people whose account has an address of `OPERATOR_EMAILS`; no API key may read it. The report is that of `/health/ready`, and answered with 200 whatever it says.',
  })
  @ApiOkResponse({ schema: REPORT })
  read(): Promise<ReadinessReport> {
    return this.readiness.report();
  }
}
