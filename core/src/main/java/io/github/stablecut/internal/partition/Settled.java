package io.github.stablecut.internal.partition;

import io.github.stablecut.error.StablecutException;

/** What is told what became of a record, once, by the thread that flushes groups. */
interface Settled {
  /** The record is durable, and what it committed visible. */
  void succeed();

  /** The journal failed; nobody knows about the record before the next opening. */
  void fail(StablecutException failure);
}
