package io.github.stablecut.cluster.internal.service.handle;

import io.github.stablecut.Pin;
import io.github.stablecut.cluster.internal.call.Answer;

/** A point that a client has pinned. Thread-safe. */
public record PinHandle(Pin pin) implements ClientHandles.Handle {
  @Override
  public Answer take(int bytes, int waitMillis, AnswerBytes answer) {
    throw new ProtocolCallException("a pin has nothing to take: read at its point");
  }

  @Override
  public void close() {
    pin.close();
  }
}
