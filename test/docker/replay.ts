import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { promisify } from 'node:util';
import ignore from '@balena/dockerignore';
import { root } from '../docs/documents';
import { copyTree } from './copy-tree';
import { readDockerfile, type Stage, type Step } from './dockerfile';
import { installFromCheckout } from './installed-packages';

/** A stage as it is at its end. */
export interface Image {
  /** Stands for its `/`. */
  readonly folder: string;
  readonly workdir: string;
  readonly env: Readonly<Record<string, string>>;
  /** `uid:gid`. */
  readonly user: string | undefined;
  readonly entrypoint: readonly string[];
  readonly command: readonly string[];
  readonly healthcheck: readonly string[];
  readonly port: string | undefined;
}

const run = promisify(execFile);

/** True if npm really installs; in `npm test` its packages are taken from this checkout. */
export const RUNS_NPM = process.env['IMAGES_NPM_CI'] === '1';

/** Runs the steps of docker/Dockerfile, a folder for each file system, on the programs of this machine. */
export class Replay {
  readonly images = new Map<string, Image>();
  /** Steps that would change this machine. */
  readonly skipped: string[] = [];

  constructor(private readonly folder: string) {}

  async run(): Promise<this> {
    for (const stage of readDockerfile()) this.images.set(stage.name, await this.build(stage));
    return this;
  }

  image(name: string): Image {
    const image = this.images.get(name);
    if (!image) throw new Error(`docker/Dockerfile has no stage ${name}.`);
    return image;
  }

  private async build(stage: Stage): Promise<Image> {
    const base = this.images.get(stage.from) ?? emptyImage(join(this.folder, stage.name));
    mkdirSync(base.folder, { recursive: true });
    let image = base;
    for (const step of stage.steps) image = await this.apply(step, image, stage);
    return image;
  }

  private async apply(step: Step, image: Image, stage: Stage): Promise<Image> {
    if ((step.keyword === 'RUN' || step.keyword === 'COPY') && this.images.has(stage.from))
      throw new Error(`The stage ${stage.name} would change the files of ${stage.from}, which the replay shares.`);
    switch (step.keyword) {
      case 'RUN':
        await this.runCommand(step.text, image);
        return image;
      case 'COPY':
        this.copy(step, image);
        return image;
      case 'WORKDIR':
        mkdirSync(join(image.folder, step.text), { recursive: true });
        return { ...image, workdir: step.text };
      case 'ENV':
        return { ...image, env: { ...image.env, ...step.variables } };
      case 'USER':
        return { ...image, user: step.text };
      case 'EXPOSE':
        return { ...image, port: step.text };
      case 'ENTRYPOINT':
        return { ...image, entrypoint: step.words };
      case 'CMD':
        return { ...image, command: step.words };
      case 'HEALTHCHECK':
        return { ...image, healthcheck: step.words };
    }
  }

  private async runCommand(command: string, image: Image): Promise<void> {
    const cwd = join(image.folder, image.workdir);
    if (command.startsWith('apt-get ')) this.skipped.push(command);
    else if (command.startsWith('npm ci') && !RUNS_NPM) installFromCheckout(command, cwd);
    else await run('sh', ['-ec', onThisMachine(command, image)], { cwd, env: { ...forNpm(), ...image.env } });
  }

  private copy({ from, sources, to }: Step & { keyword: 'COPY' }, image: Image): void {
    const base = from === undefined ? root : this.image(from).folder;
    const target = join(image.folder, to.startsWith('/') ? '' : image.workdir, to);
    for (const source of sources) {
      const path = join(base, source);
      const into = statSync(path).isDirectory() || !to.endsWith('/') ? target : join(target, basename(source));
      if (from === undefined && !isInContext(source)) throw new Error(`.dockerignore leaves out ${source}.`);
      if (from === undefined)
        copyTree(path, into, { keeps: (file) => isInContext(relative(root, file)), links: false });
      else copyTree(path, into, { links: true });
    }
  }
}

const emptyImage = (folder: string): Image => ({
  folder,
  workdir: '/',
  env: {},
  user: undefined,
  port: undefined,
  entrypoint: [],
  command: [],
  healthcheck: [],
});

const dockerignore = ignore().add(readFileSync(join(root, '.dockerignore'), 'utf8'));
/** Returns whether .dockerignore lets a builder have the file. */
export const isInContext = (path: string): boolean => !dockerignore.ignores(path);

/** Absolute paths are those of the image; a user other than root can give files to itself only. */
function onThisMachine(command: string, { folder }: Image): string {
  const paths = command.replace(/(?<= )\/(?=\w)/g, `${folder}/`);
  const uid = process.getuid?.() ?? 0;
  const gid = process.getgid?.() ?? 0;
  return uid === 0 ? paths : paths.replace(/chown \d+:\d+/, `chown ${uid}:${gid}`);
}

const NPM_NEEDS = /^(PATH|HOME|https?_proxy|no_proxy|NODE_EXTRA_CA_CERTS|npm_config_(registry|cache|userconfig))$/i;

/** As in a new container, but with the registry and the cache of this machine. */
const forNpm = (): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => NPM_NEEDS.test(name)));
