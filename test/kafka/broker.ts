import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { waitUntil } from '../wait-until';

interface BrokerOptions {
  readonly jars: string;
  /** For its data, settings and log. */
  readonly folder: string;
  readonly settings: Readonly<Record<string, string>>;
  readonly jvmFlags: readonly string[];
  readonly onChange: () => void;
}

const CLUSTER_ID = 'TGVkZ2VybGluZVRlc3RzMA'; // 16 bytes in URL-safe Base64
const STARTED = 'Kafka Server started';
const LONGEST_STOP_MS = 30_000;

/** One JVM with a broker and a controller. */
export class Broker {
  private process: ChildProcess | undefined;
  private readonly settingsFile: string;
  private readonly logFile: string;

  constructor(private readonly options: BrokerOptions) {
    mkdirSync(options.folder);
    this.settingsFile = join(options.folder, 'server.properties');
    this.logFile = join(options.folder, 'log');
    const lines = Object.entries(options.settings).map(([name, value]) => `${name}=${value}\n`);
    writeFileSync(this.settingsFile, lines.join(''), { mode: 0o600 });
  }

  /** While it runs. */
  get pid(): number | undefined {
    return this.process?.pid;
  }

  async format(options: readonly string[]): Promise<void> {
    const tool = ['kafka.tools.StorageTool', 'format', '-t', CLUSTER_ID, '-c', this.settingsFile, ...options];
    await promisify(execFile)('java', [...this.jvmArguments(), ...tool]);
  }

  /** Resolves when it takes part in the cluster. @throws the end of its log */
  async start(): Promise<void> {
    if (this.process) throw new Error('The broker runs already.');
    const log = openSync(this.logFile, 'w');
    const args = [...this.jvmArguments(), 'kafka.Kafka', this.settingsFile];
    const started = spawn('java', args, { stdio: ['ignore', log, log], cwd: this.options.folder });
    closeSync(log);
    this.process = started;
    started.once('exit', () => {
      this.process = undefined;
      this.options.onChange();
    });
    this.options.onChange();
    await waitUntil(() => {
      const text = readFileSync(this.logFile, 'utf8');
      if (this.process !== started) throw new Error(`Kafka did not start:\n${text.slice(-4_000)}`);
      return text.includes(STARTED);
    });
  }

  /** Resolves when it is gone. */
  async end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    const ending = this.process;
    if (!ending) return;
    const gone = once(ending, 'exit');
    ending.kill(signal);
    const limit = setTimeout(() => ending.kill('SIGKILL'), LONGEST_STOP_MS);
    await gone;
    clearTimeout(limit);
  }

  signal(signal: 'SIGSTOP' | 'SIGCONT'): void {
    if (!this.process) throw new Error('The broker does not run.');
    this.process.kill(signal);
  }

  private jvmArguments(): string[] {
    return [
      ...this.options.jvmFlags,
      '-Dorg.slf4j.simpleLogger.showDateTime=true',
      '-cp',
      join(this.options.jars, '*'),
    ];
  }
}
