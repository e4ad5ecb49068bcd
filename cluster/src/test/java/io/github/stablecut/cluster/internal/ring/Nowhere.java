package io.github.stablecut.cluster.internal.ring;

import io.github.stablecut.crdt.Bytes;

/** Loses all that is sent. */
final class Nowhere implements Asks.Post {
  /** Questions that nobody gets. */
  static Asks asks(RingView view) {
    return new Asks(
        view, new Nowhere(), Traffic.shared("n1", 1 << 20).questionsOut(), Runnable::run);
  }

  @Override
  public void send(int partition, long epoch, long number, Bytes question) {
    // Nobody is there.
  }

  @Override
  public void sendTo(
      String address, int partition, long epoch, long number, Bytes question, Runnable done) {
    done.run();
  }

  @Override
  public void forget(long number) {
    // Nothing is kept.
  }
}
