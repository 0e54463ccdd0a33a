import { statfsSync } from 'node:fs';
import { totalmem } from 'node:os';

const MB = 1024 * 1024;

/** Flags of the embedded server: reachable from this machine only, durable, sized for a machine shared with the apps. */
export function postgresFlags(port: number, memory = totalmem()): string[] {
  const settings: Record<string, string | number> = {
    listen_addresses: '127.0.0.1',
    port,
    unix_socket_directories: '',
    max_connections: 100,
    shared_buffers: `${Math.round(between(128, memory / 8 / MB, 1024))}MB`,
    effective_cache_size: `${Math.round(between(256, memory / 2 / MB, 16_384))}MB`,
    work_mem: '32MB',
    maintenance_work_mem: '128MB',
    max_wal_size: '2GB',
    checkpoint_timeout: '15min',
    random_page_cost: 1.1,
    jit: 'off',
    timezone: 'UTC',
    log_timezone: 'UTC',
    log_line_prefix: '%m [%p] %a ',
    log_checkpoints: 'off',
    log_error_verbosity: 'terse', // details are the values of rows, such as addresses
    ...(sharedMemoryIsScarce() ? { max_parallel_workers_per_gather: 0 } : {}),
  };
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

/** Containers have 64 MB for it by default, and a parallel query that finds none fails. */
function sharedMemoryIsScarce(): boolean {
  try {
    const { bsize, blocks } = statfsSync('/dev/shm');
    return bsize * blocks < 512 * MB;
  } catch {
    return false;
  }
}

const between = (low: number, value: number, high: number) => Math.min(Math.max(value, low), high);
