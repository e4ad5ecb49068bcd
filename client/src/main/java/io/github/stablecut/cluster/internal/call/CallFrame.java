package io.github.stablecut.cluster.internal.call;

import io.github.stablecut.crdt.Bytes;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * The frames of calls and answers. On a server's port they go beside those of AntidoteDB's
 * protocol, which begin in the same way and have other codes:
 *
 * <pre>
 *   length   4 bytes, big endian: of what follows
 *   code     1 byte: {@link #CALL}, {@link #ANSWER} or {@link #ALIVE}
 *   version  1 byte: that of the messages, 1
 *   content  as {@link CallCodec} and {@link AnswerCodec} write it; none behind ALIVE
 * </pre>
 *
 * <p>A connection has one call open at a time, and its answers are in the order of the calls.
 * Before an answer that takes time the server says again and again that it is alive.
 */
public final class CallFrame {
  /** What a client sends; AntidoteDB's clients send nothing above 135. */
  public static final int CALL = 200;

  /** What a server answers. */
  public static final int ANSWER = 201;

  /** The server is still at it. */
  public static final int ALIVE = 202;

  /** The version of the messages that this program writes, and the only one that it reads. */
  public static final int VERSION = 1;

  /** The code and the version. */
  public static final int HEAD_BYTES = 2;

  private static final int LENGTH_BYTES = Integer.BYTES;

  private CallFrame() {}

  /** A frame. */
  public static List<ByteBuffer> write(int code, Bytes content) {
    ByteBuffer frame = ByteBuffer.allocate(LENGTH_BYTES + HEAD_BYTES + content.length());
    frame.putInt(HEAD_BYTES + content.length()).put((byte) code).put((byte) VERSION);
    content.copyInto(frame.array(), frame.position());
    return List.of(frame.position(0));
  }

  /**
   * A frame.
   *
   * @param content its pieces in order, of which large ones are not copied
   */
  public static List<ByteBuffer> write(int code, List<Bytes> content) {
    if (content.size() == 1) {
      return write(code, content.get(0));
    }
    int length = HEAD_BYTES;
    List<ByteBuffer> frame = new ArrayList<>(content.size() + 1);
    ByteBuffer head = ByteBuffer.allocate(LENGTH_BYTES + HEAD_BYTES);
    frame.add(head);
    for (Bytes piece : content) {
      length += piece.length();
      frame.add(piece.asBuffer());
    }
    head.putInt(length).put((byte) code).put((byte) VERSION).flip();
    return frame;
  }

  /** Whether a frame without its length is a call. */
  public static boolean isCall(Deque<byte[]> frame) {
    byte[] first = frame.peek();
    return first != null && isCall(first);
  }

  /** Whether bytes are the beginning of a call's frame without its length. */
  public static boolean isCall(byte[] begin) {
    return begin.length > 0 && (begin[0] & 0xff) == CALL;
  }

  /** The version of a frame without its length; 0 if it ends before. */
  public static int version(Bytes frame) {
    return frame.length() < HEAD_BYTES ? 0 : frame.at(1) & 0xff;
  }

  /** A frame without its length as one string of bytes; its chunks are taken out. */
  public static Bytes join(Deque<byte[]> frame) {
    if (frame.size() == 1) {
      return Bytes.wrap(frame.remove());
    }
    int length = 0;
    for (byte[] chunk : frame) {
      length += chunk.length;
    }
    byte[] joined = new byte[length];
    int position = 0;
    while (!frame.isEmpty()) {
      byte[] chunk = frame.remove();
      System.arraycopy(chunk, 0, joined, position, chunk.length);
      position += chunk.length;
    }
    return Bytes.wrap(joined);
  }
}
