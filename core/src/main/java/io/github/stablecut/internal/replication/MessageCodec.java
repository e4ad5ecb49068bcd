package io.github.stablecut.internal.replication;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.Decoder;
import io.github.stablecut.crdt.Encoder;
import io.github.stablecut.crdt.FormatException;
import io.github.stablecut.crdt.codec.QuestionCodec;
import io.github.stablecut.error.CorruptStoreException;
import io.github.stablecut.error.UnsupportedFormatException;
import io.github.stablecut.internal.recovery.Membership;
import io.github.stablecut.internal.replication.ReplicationMessage.Forked;
import io.github.stablecut.internal.replication.ReplicationMessage.Head;
import io.github.stablecut.internal.replication.ReplicationMessage.Members;
import io.github.stablecut.internal.replication.ReplicationMessage.OfStream;
import io.github.stablecut.internal.replication.ReplicationMessage.RightsRequest;
import io.github.stablecut.internal.replication.ReplicationMessage.StreamPart;
import io.github.stablecut.internal.replication.ReplicationMessage.StreamRequest;
import io.github.stablecut.internal.replication.ReplicationMessage.Truncated;
import io.github.stablecut.internal.stream.StreamBatch;
import io.github.stablecut.internal.stream.StreamReader;
import java.util.List;

/**
 * Encodes and decodes {@link ReplicationMessage}s.
 *
 * <pre>
 *   version     1 byte, now 1
 *   kind        1 byte: 0 Want, 1 Part, 2 Truncated, 3 Members, 4 RightsWanted, 5 Forked
 *   from        unsigned
 *   Members     the text of the membership ({@link Membership#toText}); nothing else follows
 *   RightsWanted  counter: length and bytes; amount: unsigned; seen: vector; nothing else follows
 *   members     unsigned
 *   partition   unsigned
 *   reached     vector: the number of entries, and each as unsigned
 *   source      unsigned
 *   Want        last, reached and received of the start, credit: unsigned; isAgain: 1 byte; recorded: vector;
 *               opening: 8 bytes, as two unsigned
 *   Part        opening: 8 bytes, as two unsigned; after, through: unsigned; promise: vector; the number of records, and each as its
 *               length and bytes
 *   Truncated   after: unsigned
 *   Forked      after: unsigned
 * </pre>
 */
public final class MessageCodec {
  private static final int VERSION = 1;
  private static final int WANT = 0;
  private static final int PART = 1;
  private static final int TRUNCATED = 2;
  private static final int MEMBERS = 3;
  private static final int RIGHTS_WANTED = 4;
  private static final int FORKED = 5;

  private MessageCodec() {}

  /** Encodes a message. */
  public static Bytes encode(ReplicationMessage message) {
    return QuestionCodec.encode(out -> write(message, out));
  }

  private static void write(ReplicationMessage message, Encoder out) {
    out.writeByte(VERSION);
    if (message instanceof Members members) {
      out.writeByte(MEMBERS);
      out.writeUnsigned(members.from());
      out.writeBytes(Bytes.wrap(members.membership().toText().getBytes(UTF_8)));
    } else if (message instanceof RightsRequest rightsRequest) {
      out.writeByte(RIGHTS_WANTED);
      out.writeUnsigned(rightsRequest.from());
      out.writeBytes(rightsRequest.counter());
      out.writeUnsigned(rightsRequest.amount());
      out.writeVector(rightsRequest.seen());
    } else if (message instanceof StreamRequest want) {
      writeHead(WANT, want, out);
      out.writeUnsigned(want.start().last());
      out.writeUnsigned(want.start().reached());
      out.writeUnsigned(want.start().received());
      out.writeUnsigned(want.credit());
      out.writeFlag(want.isAgain());
      out.writeVector(want.recorded());
      writeLong(want.opening(), out);
    } else if (message instanceof StreamPart part) {
      StreamBatch batch = part.batch();
      writeHead(PART, part, out);
      writeLong(part.opening(), out);
      out.writeUnsigned(batch.after());
      out.writeUnsigned(batch.through());
      out.writeVector(batch.promise());
      out.writeUnsigned(batch.records().size());
      batch.records().forEach(record -> out.writeBytes(Bytes.wrap(record)));
    } else if (message instanceof Truncated truncated) {
      writeHead(TRUNCATED, truncated, out);
      out.writeUnsigned(truncated.after());
    } else if (message instanceof Forked forked) {
      writeHead(FORKED, forked, out);
      out.writeUnsigned(forked.after());
    }
  }

  private static void writeHead(int kind, OfStream message, Encoder out) {
    Head head = message.head();
    out.writeByte(kind);
    out.writeUnsigned(head.from());
    out.writeUnsigned(Integer.toUnsignedLong(head.members()));
    out.writeUnsigned(head.partition());
    out.writeVector(head.reached());
    out.writeUnsigned(message.source());
  }

  private static void writeLong(long value, Encoder out) {
    out.writeUnsigned(value >>> 32);
    out.writeUnsigned(value & 0xffff_ffffL);
  }

  private static long readLong(Decoder in) {
    return in.readUnsigned() << 32 | (in.readUnsigned() & 0xffff_ffffL);
  }

  /**
   * Decodes a message.
   *
   * @throws FormatException if the bytes are invalid
   */
  public static ReplicationMessage decode(Bytes bytes) {
    return QuestionCodec.decode(bytes, MessageCodec::read);
  }

  private static ReplicationMessage read(Decoder in) {
    int version = in.readByte();
    if (version != VERSION) {
      throw new FormatException(
          "a replication message has version %d, this program reads version %d"
              .formatted(version, VERSION));
    }
    int kind = in.readByte();
    int from = readDataCentre(in);
    if (kind == MEMBERS) {
      return new Members(from, readMembership(in));
    }
    if (kind == RIGHTS_WANTED) {
      return readRightsWanted(from, in);
    }
    Head head = new Head(from, (int) in.readUnsigned(), in.readIndex(), in.readVector());
    int source = readDataCentre(in);
    return switch (kind) {
      case WANT ->
          new StreamRequest(
              head,
              source,
              readStart(in),
              in.readUnsigned(),
              in.readFlag(),
              in.readVector(),
              readLong(in));
      case PART -> {
        long opening = readLong(in);
        yield new StreamPart(head, readBatch(source, in), opening);
      }
      case TRUNCATED -> new Truncated(head, source, in.readUnsigned());
      case FORKED -> new Forked(head, source, in.readUnsigned());
      default -> throw new FormatException("a replication message has the unknown kind " + kind);
    };
  }

  private static RightsRequest readRightsWanted(int from, Decoder in) {
    Bytes counter = in.readBytes();
    long amount = in.readUnsigned();
    if (amount == 0) {
      throw new FormatException("a request for 0 rights");
    }
    return new RightsRequest(from, counter, amount, in.readVector());
  }

  private static Membership readMembership(Decoder in) {
    try {
      String text = new String(in.readBytes().toArray(), UTF_8);
      return Membership.parse(text, "the membership in a replication message");
    } catch (CorruptStoreException | UnsupportedFormatException e) {
      throw new FormatException(e.toString());
    }
  }

  private static int readDataCentre(Decoder in) {
    int dataCentre = in.readIndex();
    if (dataCentre >= VectorClock.MAX_DATA_CENTRES) {
      throw new FormatException("data centre " + dataCentre + " is out of range");
    }
    return dataCentre;
  }

  private static StreamReader.Start readStart(Decoder in) {
    long last = in.readUnsigned();
    long reached = in.readUnsigned();
    long received = in.readUnsigned();
    if (last < received || reached < last) {
      throw new FormatException(
          "a stream can't start after %d and %d with a transaction at %d"
              .formatted(last, reached, received));
    }
    return new StreamReader.Start(last, reached, received);
  }

  private static StreamBatch readBatch(int source, Decoder in) {
    long after = in.readUnsigned();
    long through = in.readUnsigned();
    if (through < after) {
      throw new FormatException("a part of a stream after %d through %d".formatted(after, through));
    }
    VectorClock promise = in.readVector();
    List<byte[]> records = in.readList(1, from -> from.readBytes().toArray());
    return new StreamBatch(source, after, through, records, promise);
  }
}
