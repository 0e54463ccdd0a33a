import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { digestOf, RELEASES, type Release, type ReleaseName } from './releases';

/** The folder of a release's jars, or why a test cannot have them. */
type Jars = { readonly folder: string } | { readonly missing: string };

const CACHE = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'ledgerline');
const COPY = 'org.apache.maven.plugins:maven-dependency-plugin:copy-dependencies';
const LONGEST_DOWNLOAD_MS = 300_000;

const found = new Map<ReleaseName, Jars>();

/**
 * Waits for Maven where the jars are not in the cache yet, so that no time limit of a test includes the download.
 * @throws if a checksum is wrong
 */
export function jarsOf(name: ReleaseName): Jars {
  const jars = found.get(name) ?? findJars(RELEASES[name]);
  found.set(name, jars);
  return jars;
}

function findJars(release: Release): Jars {
  if (javaVersion() < release.oldestJava) return { missing: `there is no Java ${release.oldestJava} or newer` };
  const folder = join(CACHE, `kafka-${release.version}-${release.digest.slice(0, 12)}`);
  if (existsSync(folder)) return { folder };
  mkdirSync(CACHE, { recursive: true });
  const missing = alone(() => (existsSync(folder) ? undefined : download(release, folder)));
  return missing === undefined ? { folder } : { missing };
}

/** 0 without one. */
function javaVersion(): number {
  const { stderr } = spawnSync('java', ['-version'], { encoding: 'utf8' });
  return Number(/version "(\d+)/.exec(stderr)?.[1] ?? 0);
}

/** Answers why there is nothing to be had. Its checksums are verified twice: those of the registry, and ours. */
function download(release: Release, folder: string): string | undefined {
  process.stderr.write(`Maven brings Apache Kafka ${release.version} ...\n`);
  const arriving = mkdtempSync(`${folder}-`);
  try {
    const failure = copyDependencies(release.version, arriving);
    if (failure !== undefined) return failure;
    const digest = digestOf(arriving);
    if (digest !== release.digest) throw new Error(`The jars of Kafka ${release.version} have the digest ${digest}.`);
    renameSync(arriving, folder);
    return undefined;
  } finally {
    rmSync(arriving, { recursive: true, force: true });
  }
}

/** @throws if Maven refused a checksum of the registry */
function copyDependencies(version: string, folder: string): string | undefined {
  const strictly = ['--strict-checksums', '--batch-mode', '--no-transfer-progress', '--quiet'];
  const options = ['-f', join(__dirname, 'pom.xml'), `-Dkafka.version=${version}`, `-DoutputDirectory=${folder}`];
  const { status, stdout, error } = spawnSync('mvn', [...strictly, ...options, COPY], {
    encoding: 'utf8',
    timeout: LONGEST_DOWNLOAD_MS,
  });
  if (status === 0) return undefined;
  if (error) return 'code' in error && error.code === 'ENOENT' ? 'there is no Maven' : `Maven: ${error.message}`;
  const [reason = `it ended with ${status}`] = stripVTControlCharacters(stdout)
    .split('\n')
    .filter((line) => line.includes('ERROR'));
  if (/checksum/i.test(stdout)) throw new Error(`Maven refused the jars of Kafka: ${reason}`);
  return `Maven could not bring it: ${reason}`;
}

/** Runs `work` while no other process does. The lock of one that was killed ends by its age. */
function alone<T>(work: () => T): T {
  const lock = join(CACHE, 'lock');
  while (!lockTaken(lock)) {
    const age = Date.now() - (statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
    if (age > 2 * LONGEST_DOWNLOAD_MS) rmSync(lock, { recursive: true, force: true });
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
  }
  try {
    return work();
  } finally {
    rmSync(lock, { recursive: true, force: true });
  }
}

function lockTaken(lock: string): boolean {
  try {
    mkdirSync(lock);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}
