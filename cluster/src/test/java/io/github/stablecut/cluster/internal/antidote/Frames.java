package io.github.stablecut.cluster.internal.antidote;

import io.github.stablecut.crdt.Bytes;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.HexFormat;
import java.util.List;

/** Converts frames from and to hexadecimal digits and chunks. */
final class Frames {
  private static final HexFormat HEX = HexFormat.of();
  static final long NO_LIMIT = Long.MAX_VALUE;

  private Frames() {}

  static String hex(List<ByteBuffer> frame) {
    StringBuilder hex = new StringBuilder();
    for (ByteBuffer part : frame) {
      hex.append(HEX.formatHex(bytes(part)));
    }
    return hex.toString();
  }

  private static byte[] bytes(ByteBuffer part) {
    byte[] bytes = new byte[part.remaining()];
    part.duplicate().get(bytes);
    return bytes;
  }

  /** A frame as one chunk, without its length field, which is checked. */
  static byte[] body(String hex) {
    byte[] frame = HEX.parseHex(hex.replace(" ", ""));
    int length = ByteBuffer.wrap(frame).getInt();
    if (length != frame.length - MessageCode.LENGTH_BYTES) {
      throw new IllegalArgumentException("the frame says " + length + ": " + hex);
    }
    return Arrays.copyOfRange(frame, MessageCode.LENGTH_BYTES, frame.length);
  }

  static byte[] body(List<ByteBuffer> frame) {
    return body(hex(frame));
  }

  static Deque<byte[]> chunks(byte[] body, int chunkBytes) {
    Deque<byte[]> chunks = new ArrayDeque<>();
    for (int from = 0; from < body.length; from += chunkBytes) {
      chunks.add(Arrays.copyOfRange(body, from, Math.min(body.length, from + chunkBytes)));
    }
    return chunks;
  }

  static Request request(String hex) {
    return RequestCodec.read(chunks(body(hex), Integer.MAX_VALUE >> 1));
  }

  static Response response(String hex) {
    return ResponseCodec.read(chunks(body(hex), Integer.MAX_VALUE >> 1));
  }

  static Bytes bytes(String hex) {
    return Bytes.wrap(HEX.parseHex(hex));
  }
}
