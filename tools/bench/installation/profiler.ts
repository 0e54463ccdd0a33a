/** Required before an app: profiles it and writes the profile to the folder PROFILE_TO when it is asked to stop. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector';
import { basename, dirname, join } from 'node:path';

const folder = process.env.PROFILE_TO ?? '.';
const app = basename(dirname(dirname(process.argv[1] ?? 'app/src/main.js')));
const session = new Session();
session.connect();
session.post('Profiler.enable');
session.post('Profiler.setSamplingInterval', { interval: 500 });
session.post('Profiler.start');

// TRICKY: not at 'exit', which Nest skips: it ends by the signal it was asked to stop with
process.once('SIGTERM', () => {
  session.post('Profiler.stop', (_, { profile }) => {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `${app}-${process.pid}.cpuprofile`), JSON.stringify(profile));
  });
});
