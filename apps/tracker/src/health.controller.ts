import { Controller, Get, Head } from '@nestjs/common';

/** Says that the process answers. */
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
