import { Controller, Get, Head, Inject } from '@nestjs/common';
import { ClickRecorder } from './click-spool/click-recorder';
import { faultOf } from './click-spool/spool-check';

/** Liveness: the process responds. Where the disk takes no clicks, or one could not be recorded, it says so. */
@Controller('health')
export class HealthController {
  constructor(@Inject(ClickRecorder) private readonly clicks: Pick<ClickRecorder, 'state'>) {}

  @Get()
  health(): object {
    const reason = faultOf(this.clicks);
    return reason === undefined
      ? { status: 'ok' }
      : { status: 'degraded', clicks: { reason, roomBytes: this.clicks.state().room } };
  }

  @Head()
  head(): object {
    return this.health();
  }
}
