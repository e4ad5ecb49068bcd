package io.github.stablecut.cluster.internal.call;

import io.github.stablecut.crdt.Bytes;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * The frames of calls and answers. They share a server's port with AntidoteDB's protocol, whose
 * frames have the same beginning and other codes:
 *
 * <pre>
 *   length   4 bytes, big endian: of what follows
 *   code     1 byte: {@link #CALL}, {@link #ANSWER} or {@link #ALIVE}
 *   version  1 byte: the protocol version, 1
 *   content  as {@link CallCodec} and {@link AnswerCodec} write it; absent after ALIVE
 * </pre>
 *
 * <p>A connection executes one call at a time and answers in the order of the calls. While a call
 * takes time, the server repeatedly sends ALIVE.
 */
public final class CallFrame {
  /** A client's call; AntidoteDB's clients use no code above 135. */
  public static final int CALL = 200;

  /** A server's answer. */
  public static final int ANSWER = 201;

  /** The server is still executing the call. */
  public static final int ALIVE = 202;

  /** The only protocol version that this program reads and writes. */
  public static final int VERSION = 1;

  /** The code and the version. */
  public static final int HEAD_BYTES = 2;

  private static final int LENGTH_BYTES = Integer.BYTES;

  private CallFrame() {}

  /** Builds a frame. */
  public static List<ByteBuffer> write(int code, Bytes content) {
    ByteBuffer frame = ByteBuffer.allocate(LENGTH_BYTES + HEAD_BYTES + content.length());
    frame.putInt(HEAD_BYTES + content.length()).put((byte) code).put((byte) VERSION);
    content.copyInto(frame.array(), frame.position());
    return List.of(frame.position(0));
  }

  /**
   * Builds a frame.
   *
   * @param content consecutive pieces; large ones are not copied
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

  /** Whether bytes begin a call's frame without its length. */
  public static boolean isCall(byte[] begin) {
    return begin.length > 0 && (begin[0] & 0xff) == CALL;
  }

  /** The version of a frame without its length; 0 if the frame is too short. */
  public static int version(Bytes frame) {
    return frame.length() < HEAD_BYTES ? 0 : frame.at(1) & 0xff;
  }

  /** Joins the chunks of a frame without its length, and removes them from the queue. */
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
