/** Work that is waited for only when everything ends. None of it may reject. */
export class UnderWay {
  private readonly works = new Set<Promise<void>>();

  follow(work: Promise<void>): void {
    this.works.add(work);
    void work.finally(() => this.works.delete(work));
  }

  async settled(): Promise<void> {
    while (this.works.size > 0) await Promise.all(this.works);
  }
}
