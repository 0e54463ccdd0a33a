/** SIGINT (Ctrl-C), SIGTERM and SIGHUP (closed terminal) request an orderly stop; a second signal ends processes at once. */
export interface StopRequest {
  readonly signal: AbortSignal;
  readonly requested: Promise<void>;
  onHurry(hurry: () => void): void;
}

/** TRICKY: npm forwards the SIGINT that the terminal has already sent, so one Ctrl-C arrives twice. */
const SAME_REQUEST_MS = 1_000;

export function listenForStop(source: NodeJS.EventEmitter = process, now: () => number = Date.now): StopRequest {
  const controller = new AbortController();
  let hurry: () => void = () => undefined;
  let first: number | undefined;
  const requested = new Promise<void>((resolve) => {
    const onSignal = () => {
      first ??= now();
      if (now() - first > SAME_REQUEST_MS) hurry();
      controller.abort();
      resolve();
    };
    for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) source.on(name, onSignal);
  });
  return { signal: controller.signal, requested, onHurry: (action) => (hurry = action) };
}
