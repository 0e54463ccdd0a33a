import { assertRoom, StoreFault, type StoreCheck } from '@ledgerline/platform/processes/store-checks';
import type { ClickRecorder } from './click-recorder';

type Clicks = Pick<ClickRecorder, 'state'>;

/** Why clicks cannot be recorded at the moment, in one sentence; undefined while they can. */
export function faultOf(clicks: Clicks): string | undefined {
  const { failing, isLosing } = clicks.state();
  if (failing !== undefined) return `The disk takes no clicks (${failing}).`;
  return isLosing ? 'The intake log takes no clicks, and their room on disk is used up.' : undefined;
}

/** Judges the recording of clicks by what became of them, and the disk by what it has left: room for clicks is kept ahead. */
export const checkSpool = (clicks: Clicks, folder: string): StoreCheck => ({
  store: 'click_spool',
  operation: 'write',
  check: async () => {
    const fault = faultOf(clicks);
    if (fault !== undefined) throw new StoreFault(fault);
    await assertRoom(folder);
  },
});
