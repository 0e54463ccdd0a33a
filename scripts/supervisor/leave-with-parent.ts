/**
 * Loaded before an app of the supervisor: when the supervisor ends for any reason, the app drains and ends as on
 * SIGTERM.
 */
const LEAVE_WITHIN_MS = 10_000;

process.once('disconnect', () => {
  setTimeout(() => process.exit(1), LEAVE_WITHIN_MS).unref();
  process.kill(process.pid, 'SIGTERM');
});
process.channel?.unref(); // TRICKY: otherwise the open channel would keep a finished app running

export {};
