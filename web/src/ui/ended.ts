// What has ended by itself a moment ago: a press that comes sooner than anyone can have seen it was meant to pause, not to play on.
import { signal } from '@preact/signals';

const UNSEEN_MS = 400;

export class Ended {
  readonly now = signal(false);
  private timer: ReturnType<typeof setTimeout> | undefined;

  note(): void {
    this.now.value = true;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => (this.now.value = false), UNSEEN_MS);
  }
}
