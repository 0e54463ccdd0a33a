/** An expected reason why a process cannot start; the message is one clear sentence (or a list of them) for people. */
export class StartFailure extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'StartFailure';
  }
}
