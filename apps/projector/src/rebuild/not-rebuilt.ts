/** A rebuild that ends without a result, and without harm; says why. */
export class NotRebuilt extends Error {
  constructor(why: string) {
    super(why);
    this.name = 'NotRebuilt';
  }
}
