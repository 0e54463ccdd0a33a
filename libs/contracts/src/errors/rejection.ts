/** A command a decider refuses, with the fact that forbids it, e.g. `API_KEY_NOT_ACTIVE`. */
export class Rejection extends Error {
  constructor(readonly fact: string) {
    super(fact);
    this.name = 'Rejection';
  }
}
