/**
 * Loaded before an app of the supervisor: when the supervisor is gone, however it died, the app drains as if it had
 * been asked to stop, and leaves.
 */
const LEAVE_WITHIN_MS = 10_000;

process.once('disconnect', () => {
  setTimeout(() => process.exit(1), LEAVE_WITHIN_MS).unref();
  process.kill(process.pid, 'SIGTERM');
});
process.channel?.unref(); // TRICKY: else the open channel would keep a finished app from ending

export {};
