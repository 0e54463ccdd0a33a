import { Controller, Get, Head } from '@nestjs/common';

/** Liveness: the process responds. */
@Controller('health')
export class HealthController {
  @Get()
  health(): object {
    return { status: 'ok' };
  }

  @Head()
  head(): object {
    return this.health();
  }
}
