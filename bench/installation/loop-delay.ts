/** Required before an app: writes the longest delay of its event loop, ms, to the file DELAY_TO when it is asked to stop. SIGUSR2 begins anew. */
import { writeFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';

const RESOLUTION_MS = 1;
const NS_PER_MS = 1e6;
const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
delay.enable();

process.on('SIGUSR2', () => delay.reset());
process.once('SIGTERM', () => {
  if (process.env.DELAY_TO) writeFileSync(process.env.DELAY_TO, String(delay.max / NS_PER_MS - RESOLUTION_MS));
});
