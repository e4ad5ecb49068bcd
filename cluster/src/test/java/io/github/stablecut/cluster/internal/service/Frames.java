package io.github.stablecut.cluster.internal.service;

import io.github.stablecut.cluster.internal.antidote.MessageCode;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/** Frames as they are written and read. */
final class Frames {
  private Frames() {}

  /** What a reader gets of a written frame: all but its length. */
  static Deque<byte[]> received(List<ByteBuffer> frame) {
    ByteBuffer whole = ByteBuffer.allocate(frame.stream().mapToInt(ByteBuffer::remaining).sum());
    frame.forEach(part -> whole.put(part.duplicate()));
    byte[] body = new byte[whole.position() - MessageCode.LENGTH_BYTES];
    whole.get(MessageCode.LENGTH_BYTES, body);
    return new ArrayDeque<>(List.of(body));
  }
}
