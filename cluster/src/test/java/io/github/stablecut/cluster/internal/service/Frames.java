package io.github.stablecut.cluster.internal.service;

import io.github.stablecut.cluster.internal.antidote.MessageCode;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/** Converts written frames to received ones. */
final class Frames {
  private Frames() {}

  /** Returns what a reader receives of a written frame: all but its length. */
  static Deque<byte[]> received(List<ByteBuffer> frame) {
    ByteBuffer buffer = ByteBuffer.allocate(frame.stream().mapToInt(ByteBuffer::remaining).sum());
    frame.forEach(part -> buffer.put(part.duplicate()));
    byte[] body = new byte[buffer.position() - MessageCode.LENGTH_BYTES];
    buffer.get(MessageCode.LENGTH_BYTES, body);
    return new ArrayDeque<>(List.of(body));
  }
}
