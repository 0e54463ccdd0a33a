import { Controller, Get, Head, Inject } from '@nestjs/common';
import { ClickRecorder } from './click-spool/click-recorder';

/** Liveness: the process responds. Where the disk takes no clicks, or one could not be recorded, it says so. */
@Controller('health')
export class HealthController {
  constructor(@Inject(ClickRecorder) private readonly clicks: Pick<ClickRecorder, 'state'>) {}

  @Get()
  health(): object {
    const { room, failing, isLosing } = this.clicks.state();
    if (failing === undefined && !isLosing) return { status: 'ok' };
    const reason = failing === undefined ? 'The intake log takes no clicks.' : `The disk takes no clicks (${failing}).`;
    return { status: 'degraded', clicks: { reason, roomBytes: room } };
  }

  @Head()
  head(): object {
    return this.health();
  }
}
