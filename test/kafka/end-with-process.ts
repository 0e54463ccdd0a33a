import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** Processes that end with this one, however it ends. */
export interface DependentProcesses {
  /** Replaces those named before. */
  name(pids: readonly number[]): void;
  /** Removes the folder; resolves when it is gone. */
  release(): Promise<void>;
}

/** A shell that reads until this process is gone, then kills those that were named last and removes the folder. */
const WATCH = `
  trap '' INT TERM HUP
  while read -r named; do pids=$named; done
  for pid in $pids; do kill -9 "$pid"; done
  for pid in $pids; do while kill -0 "$pid"; do sleep 0.1; done; done
  rm -rf "$1"
`;

export function endWithProcess(folder: string): DependentProcesses {
  const watch = spawn('sh', ['-c', WATCH, 'sh', folder], { stdio: ['pipe', 'ignore', 'ignore'], cwd: '/' });
  const gone = once(watch, 'exit');
  watch.stdin.on('error', () => undefined); // where it was killed
  return {
    name: (pids) => watch.stdin.write(`${pids.join(' ')}\n`),
    release: async () => {
      watch.stdin.end('\n');
      await gone;
    },
  };
}
