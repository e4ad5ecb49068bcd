package io.github.stablecut.internal.link;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.Decoder;
import io.github.stablecut.crdt.Encoder;
import io.github.stablecut.crdt.FormatException;
import io.github.stablecut.crdt.codec.QuestionCodec;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/**
 * The first message of each side of a connection. Immutable.
 *
 * <pre>
 *   magic     8 bytes, "STABLEDC"
 *   frame     version (1 byte), kind (1 byte), then the fields of the kind:
 *   Member    group, store: 8 bytes each, as two unsigned; from, to: unsigned; node: text
 *   Join      nothing
 *   Welcome   number: unsigned, node: text
 *   Refused   text
 *   Elsewhere text
 *   Question  nothing
 *   Cut       group, store: 8 bytes each, as two unsigned; partition: unsigned
 *   Answer    group, store: 8 bytes each, as two unsigned; number, partitions: unsigned; isNew: 1 byte
 * </pre>
 */
sealed interface Handshake {
  /** "STABLEDC". */
  long MAGIC = 0x5354_4142_4c45_4443L;

  int VERSION = 2;

  /** Replaces a number, and means any data centre at that address. */
  int ANY = VectorClock.MAX_DATA_CENTRES;

  /** The maximum size of a handshake, in bytes. */
  int MAX_BYTES = 1 << 12;

  /**
   * A data centre of a group that will exchange replication messages.
   *
   * @param to the data centre to reach, or {@link #ANY}
   * @param node the address where others reach the node, which identifies it within a cluster
   */
  record Member(long group, long store, int from, int to, String node) implements Handshake {}

  /** A new data centre that requests its initial state. */
  record Join() implements Handshake {}

  /**
   * The answer that accepts a connection.
   *
   * @param number the number of the answering data centre
   * @param node as {@link Member#node}
   */
  record Welcome(int number, String node) implements Handshake {}

  /**
   * A node of the same data centre that admits a new one and requests the initial state of a
   * partition ({@link PartitionSnapshotCall}).
   */
  record Cut(long group, long store, int partition) implements Handshake {}

  /** The answer that refuses a connection. */
  record Refused(String why) implements Handshake {}

  /** Asks for the data centre's description; the connection then ends. */
  record Question() implements Handshake {}

  /** The answer to a question. */
  record Answer(DataCentreInfo about) implements Handshake {}

  /** The answer to a join that refers to the data centre that assigns numbers. */
  record Redirect(String address) implements Handshake {}

  /** Sends the handshake. */
  default void write(DataOutputStream out) throws IOException {
    out.writeLong(MAGIC);
    Frames.write(QuestionCodec.encode(this::encode), out);
    out.flush();
  }

  private void encode(Encoder out) {
    out.writeByte(VERSION);
    if (this instanceof Member member) {
      out.writeByte(0);
      writeLong(member.group, out);
      writeLong(member.store, out);
      out.writeUnsigned(member.from);
      out.writeUnsigned(member.to);
      writeText(member.node, out);
    } else if (this instanceof Join) {
      out.writeByte(1);
    } else if (this instanceof Welcome welcome) {
      out.writeByte(2);
      out.writeUnsigned(welcome.number);
      writeText(welcome.node, out);
    } else if (this instanceof Refused refused) {
      out.writeByte(3);
      writeText(refused.why, out);
    } else if (this instanceof Redirect elsewhere) {
      out.writeByte(4);
      writeText(elsewhere.address, out);
    } else if (this instanceof Question) {
      out.writeByte(5);
    } else if (this instanceof Answer answer) {
      out.writeByte(6);
      writeLong(answer.about.group(), out);
      writeLong(answer.about.store(), out);
      out.writeUnsigned(answer.about.number());
      out.writeUnsigned(answer.about.partitions());
      out.writeFlag(answer.about.isNew());
    } else if (this instanceof Cut cut) {
      out.writeByte(7);
      writeLong(cut.group, out);
      writeLong(cut.store, out);
      out.writeUnsigned(cut.partition);
    }
  }

  private static void writeLong(long value, Encoder out) {
    out.writeUnsigned(value >>> 32);
    out.writeUnsigned(value & 0xffff_ffffL);
  }

  private static void writeText(String text, Encoder out) {
    String truncated = text.length() <= MAX_BYTES / 4 ? text : text.substring(0, MAX_BYTES / 4);
    out.writeBytes(Bytes.wrap(truncated.getBytes(StandardCharsets.UTF_8)));
  }

  /**
   * Reads the other side's handshake.
   *
   * @throws IOException if it is not a valid handshake, with a message for users
   */
  static Handshake read(DataInputStream in) throws IOException {
    long magic;
    try {
      magic = in.readLong();
    } catch (EOFException e) {
      throw new IOException(
          "the other side has closed the connection without an answer: perhaps only one side uses TLS, it refuses this side's certificate, or it has another version",
          e);
    }
    if (magic != MAGIC) {
      throw new IOException(
          "the other side is not a data centre of Stablecut, or only one side uses TLS");
    }
    try {
      return QuestionCodec.decode(Frames.read(in, MAX_BYTES), Handshake::decode);
    } catch (FormatException e) {
      throw new NotUnderstoodException(
          "the other side's handshake is malformed: " + e.getMessage());
    }
  }

  /** Thrown for a message of another version. */
  final class NotUnderstoodException extends IOException {
    private static final long serialVersionUID = 1L;

    NotUnderstoodException(String message) {
      super(message);
    }
  }

  private static Handshake decode(Decoder in) {
    int version = in.readByte();
    if (version != VERSION) {
      throw new FormatException(
          "it has version %d, this program has version %d: use the same version"
              .formatted(version, VERSION));
    }
    int kind = in.readByte();
    return switch (kind) {
      case 0 ->
          new Member(readLong(in), readLong(in), in.readIndex(), in.readIndex(), readText(in));
      case 1 -> new Join();
      case 2 -> new Welcome(in.readIndex(), readText(in));
      case 3 -> new Refused(readText(in));
      case 4 -> new Redirect(readText(in));
      case 5 -> new Question();
      case 6 ->
          new Answer(
              new DataCentreInfo(
                  readLong(in), readLong(in), in.readIndex(), in.readIndex(), in.readFlag()));
      case 7 -> new Cut(readLong(in), readLong(in), in.readIndex());
      default -> throw new FormatException("kind " + kind);
    };
  }

  private static long readLong(Decoder in) {
    return in.readUnsigned() << 32 | (in.readUnsigned() & 0xffff_ffffL);
  }

  private static String readText(Decoder in) {
    return new String(in.readBytes().toArray(), StandardCharsets.UTF_8);
  }
}
