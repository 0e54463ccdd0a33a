import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { chownSync, lstatSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { waitUntil } from '../wait-until';
import type { Image } from './replay';

interface ContainerOptions {
  readonly env: NodeJS.ProcessEnv;
  /** Stands for the volume at /data; without one it cannot be written, as in a read-only container. */
  readonly data?: string;
}

const LONGEST_START_MS = 300_000;

/** A process started as a container of an image would start it: its command, user, folder and variables. */
export class Container {
  private output = '';
  readonly ended: Promise<number | NodeJS.Signals>;
  private readonly process: ChildProcess;
  private readonly env: NodeJS.ProcessEnv;

  constructor(
    private readonly image: Image,
    { env, data }: ContainerOptions,
  ) {
    if (data !== undefined) makeVolume(data, image);
    const nowhere = join(image.folder, 'nowhere'); // neither a home nor temporary files
    const own = { PATH: process.env.PATH, HOME: nowhere, TMPDIR: nowhere, ...image.env, ...env };
    this.env = { ...own, DATA_DIR: data ?? join(image.folder, image.env['DATA_DIR']!) };
    this.process = this.spawn([...image.entrypoint, ...image.command]);
    for (const stream of [this.process.stdout, this.process.stderr])
      stream!.on('data', (chunk: Buffer) => (this.output += chunk.toString()));
    this.ended = new Promise((resolve) => this.process.once('close', (code, signal) => resolve(code ?? signal!)));
  }

  get log(): string {
    return this.output;
  }

  get pid(): number {
    return this.process.pid!;
  }

  /**
   * Resolves when the process answers and the HEALTHCHECK of its image succeeds, which is not asked until then as it starts
   * a process each time. @throws with the log when the process ends before
   */
  async healthy(url: string): Promise<void> {
    let end: number | string | undefined;
    void this.ended.then((how) => (end = how));
    const answers = () => {
      if (end !== undefined) throw new Error(`The process ended (${end}):\n${this.output}`);
      return fetch(`${url}/health`).then(
        ({ ok }) => ok,
        () => false,
      );
    };
    await waitUntil(answers, undefined, LONGEST_START_MS);
    const checking = this.spawn(this.image.healthcheck);
    const code = await new Promise((resolve) => checking.once('close', resolve));
    if (code !== 0) throw new Error(`The HEALTHCHECK ended with ${String(code)}.`);
  }

  /** As `docker stop`. */
  stop(): Promise<number | NodeJS.Signals> {
    this.process.kill('SIGTERM');
    return this.ended;
  }

  private spawn(words: readonly string[]): ChildProcess {
    const [program, ...args] = asHere(words);
    const cwd = join(this.image.folder, this.image.workdir);
    return spawn(program!, args, { cwd, env: this.env, ...userOf(this.image), stdio: ['ignore', 'pipe', 'pipe'] });
  }
}

const hasTini = spawnSync('tini', ['--version']).status === 0;

/** The programs of this machine; without tini the process gets the signals itself. */
function asHere(words: readonly string[]): readonly string[] {
  const own = words[0] === 'tini' && !hasTini ? words.slice(2) : words;
  return own.map((word) => (word === 'node' ? process.execPath : word));
}

/** The user of the image, if this process may become it. */
export function userOf({ user }: Image): { uid?: number; gid?: number } {
  const [uid, gid] = user?.split(':').map(Number) ?? [];
  if (uid === undefined || gid === undefined) throw new Error('The image names no user and group.');
  return process.getuid?.() === 0 ? { uid, gid } : {};
}

function makeVolume(data: string, image: Image): void {
  const { uid, gid } = userOf(image);
  mkdirSync(data, { recursive: true });
  if (uid !== undefined && gid !== undefined) chownSync(data, uid, gid); // as a new volume, which gets the owner of /data
}

/** Every file of an image with its size and time. */
export const filesOf = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((path) => {
    const { size, mtimeMs } = lstatSync(join(folder, path));
    return `${path} ${size} ${mtimeMs}`;
  });
