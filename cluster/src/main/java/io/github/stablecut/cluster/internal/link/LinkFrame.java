package io.github.stablecut.cluster.internal.link;

import io.github.stablecut.cluster.internal.wire.BadMessageException;
import io.github.stablecut.cluster.internal.wire.WireInput;
import io.github.stablecut.cluster.internal.wire.WireOutput;
import io.github.stablecut.crdt.Bytes;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * A frame on a link: four bytes with the length of the rest, a byte for the kind, and the fields in
 * order. The first frames of the two ends are {@link Hello} and {@link Welcome}. A {@link Content}
 * that is too large for one frame travels as {@link First} and {@link Next} chunks, on a link of
 * its own; chunks of several messages take turns, so each names its message.
 */
sealed interface LinkFrame {
  /** The most bytes of a message that one chunk holds. */
  int CHUNK_BYTES = 64 << 10;

  /** Maximum size of a frame: a chunk, and its fields. */
  int MAX_BYTES = CHUNK_BYTES + 64;

  int HELLO = 1;
  int WELCOME = 2;
  int REQUEST = 3;
  int REPLY = 4;
  int PING = 5;
  int PONG = 6;
  int MESSAGE = 7;
  int DRIVER_REPLY = 8;
  int FIRST = 9;
  int NEXT = 10;
  int ABORT = 11;
  int ANSWERED = 12;

  /**
   * Identifies the connecting node and the intended receiver.
   *
   * @param protocol the version of the sender's messages
   * @param receiver the incarnation of the intended receiver
   * @param name the sender's name
   * @param incarnation the sender's incarnation
   * @param isBulk whether the link is for large messages
   */
  record Hello(int protocol, long receiver, String name, long incarnation, boolean isBulk)
      implements LinkFrame {}

  /**
   * The answer to {@link Hello}.
   *
   * @param refusal why the connection is closed; empty if messages are accepted
   */
  record Welcome(String refusal) implements LinkFrame {}

  /** A frame with a message, or with its first chunk. */
  sealed interface Content extends LinkFrame {
    /** Returns the message. */
    Bytes bytes();

    /** Returns the same frame with other bytes. */
    Content with(Bytes other);
  }

  /** A request to the owner of a partition, or with epoch 0 to a node. */
  record Request(int partition, long epoch, long number, long clock, Bytes bytes)
      implements Content {
    @Override
    public Request with(Bytes other) {
      return new Request(partition, epoch, number, clock, other);
    }
  }

  /** The reply to a request. */
  record Reply(long number, long clock, Bytes bytes) implements Content {
    @Override
    public Reply with(Bytes other) {
      return new Reply(number, clock, other);
    }
  }

  /** The answer of a partition to the driver of a transaction. */
  record DriverReply(long driver, long clock, Bytes bytes) implements Content {
    @Override
    public DriverReply with(Bytes other) {
      return new DriverReply(driver, clock, other);
    }
  }

  /** A message to a replica, which has no reply. */
  record Message(int partition, long clock, Bytes bytes) implements LinkFrame {}

  /**
   * Begins a large message.
   *
   * @param id identifies the message on the link, among those that are incomplete
   * @param length the size of the whole message
   * @param content the message with its first chunk
   */
  record First(int id, int length, Content content) implements LinkFrame {}

  /** The next chunk of a large message; the last one completes its length. */
  record Next(int id, Bytes chunk) implements LinkFrame {}

  /** Ends a large message whose rest is not sent. */
  record Abort(int id) implements LinkFrame {}

  /**
   * Tells that the sender awaits no more replies to its earlier writes.
   *
   * @param oldest the lowest number of a write whose reply it may await
   */
  record Answered(long oldest) implements LinkFrame {}

  /** Requests a {@link Pong}. */
  record Ping() implements LinkFrame {}

  /** Shows that the node is alive. */
  record Pong() implements LinkFrame {}

  /** Encodes a frame, including its length. */
  static ByteBuf encode(ByteBufAllocator allocator, LinkFrame frame) {
    if (frame instanceof Content content) {
      Bytes bytes = content.bytes();
      return encode(allocator, content, bytes.length()).writeBytes(bytes.unwrap());
    } else if (frame instanceof Message message) {
      return begin(allocator, MESSAGE, 12 + message.bytes.length())
          .writeInt(message.partition)
          .writeLong(message.clock)
          .writeBytes(message.bytes.unwrap());
    } else if (frame instanceof First first) {
      return first(
          allocator, first.id, first.length, first.content, first.content.bytes().length());
    } else if (frame instanceof Next next) {
      return next(allocator, next.id, next.chunk, 0, next.chunk.length());
    } else if (frame instanceof Abort abort) {
      return begin(allocator, ABORT, 4).writeInt(abort.id);
    } else if (frame instanceof Answered answered) {
      return begin(allocator, ANSWERED, 8).writeLong(answered.oldest);
    } else if (frame instanceof Hello hello) {
      byte[] fields =
          new WireOutput()
              .size(hello.protocol)
              .number(hello.receiver)
              .text(hello.name)
              .number(hello.incarnation)
              .kind(hello.isBulk ? 1 : 0)
              .toArray();
      return begin(allocator, HELLO, fields.length).writeBytes(fields);
    } else if (frame instanceof Welcome welcome) {
      byte[] fields = new WireOutput().text(welcome.refusal).toArray();
      return begin(allocator, WELCOME, fields.length).writeBytes(fields);
    }
    return begin(allocator, frame instanceof Ping ? PING : PONG, 0);
  }

  /** Encodes the first chunk of a message: the given number of its bytes. */
  static ByteBuf first(
      ByteBufAllocator allocator, int id, int length, Content content, int chunkBytes) {
    int fields = fieldBytes(content) + 1;
    ByteBuf out = begin(allocator, FIRST, 8 + fields + chunkBytes).writeInt(id).writeInt(length);
    return writeFields(out, content).writeBytes(content.bytes().unwrap(), 0, chunkBytes);
  }

  /** Encodes another chunk of a message: a range of its bytes. */
  static ByteBuf next(
      ByteBufAllocator allocator, int id, Bytes message, int offset, int chunkBytes) {
    return begin(allocator, NEXT, 4 + chunkBytes)
        .writeInt(id)
        .writeBytes(message.unwrap(), offset, chunkBytes);
  }

  private static ByteBuf encode(ByteBufAllocator allocator, Content content, int chunkBytes) {
    int length = 1 + fieldBytes(content) + chunkBytes;
    return writeFields(allocator.buffer(4 + length).writeInt(length), content);
  }

  private static int fieldBytes(Content content) {
    return content instanceof Request ? 28 : 16;
  }

  /** Writes the kind and the fields of a message, without the message itself. */
  private static ByteBuf writeFields(ByteBuf out, Content content) {
    if (content instanceof Request request) {
      return out.writeByte(REQUEST)
          .writeInt(request.partition)
          .writeLong(request.epoch)
          .writeLong(request.number)
          .writeLong(request.clock);
    } else if (content instanceof Reply reply) {
      return out.writeByte(REPLY).writeLong(reply.number).writeLong(reply.clock);
    }
    DriverReply answer = (DriverReply) content;
    return out.writeByte(DRIVER_REPLY).writeLong(answer.driver).writeLong(answer.clock);
  }

  private static ByteBuf begin(ByteBufAllocator allocator, int kind, int length) {
    return allocator.buffer(5 + length).writeInt(1 + length).writeByte(kind);
  }

  /**
   * Decodes a frame.
   *
   * @param in its bytes after the length, all of which are consumed
   * @throws BadMessageException if they are malformed
   */
  static LinkFrame decode(ByteBuf in) {
    int kind = in.readByte();
    return switch (kind) {
      case REQUEST, REPLY, DRIVER_REPLY -> readContent(kind, in);
      case MESSAGE -> {
        require(in, 12);
        int partition = in.readInt();
        yield new Message(notNegative(partition), readClock(in), rest(in));
      }
      case FIRST -> {
        require(in, 9);
        int id = in.readInt();
        int length = in.readInt();
        yield new First(id, length, readContent(in.readByte(), in));
      }
      case NEXT -> {
        require(in, 4);
        yield new Next(in.readInt(), rest(in));
      }
      case ABORT -> {
        require(in, 4);
        yield empty(in, new Abort(in.readInt()));
      }
      case ANSWERED -> {
        require(in, 8);
        yield empty(in, new Answered(in.readLong()));
      }
      case HELLO -> {
        WireInput fields = WireInput.untimed(rest(in).unwrap());
        yield fields.end(
            new Hello(
                fields.small(),
                fields.number(),
                fields.text(),
                fields.number(),
                fields.kind() != 0));
      }
      case WELCOME -> {
        WireInput fields = WireInput.untimed(rest(in).unwrap());
        yield fields.end(new Welcome(fields.text()));
      }
      case PING -> empty(in, new Ping());
      case PONG -> empty(in, new Pong());
      default -> throw new BadMessageException("kind " + kind);
    };
  }

  private static Content readContent(int kind, ByteBuf in) {
    return switch (kind) {
      case REQUEST -> {
        require(in, 28);
        int partition = notNegative(in.readInt());
        long epoch = notNegative(in.readLong());
        yield new Request(partition, epoch, in.readLong(), readClock(in), rest(in));
      }
      case REPLY -> {
        require(in, 16);
        yield new Reply(in.readLong(), readClock(in), rest(in));
      }
      case DRIVER_REPLY -> {
        require(in, 16);
        yield new DriverReply(in.readLong(), readClock(in), rest(in));
      }
      default -> throw new BadMessageException("a chunk of kind " + kind);
    };
  }

  private static int notNegative(int number) {
    return (int) notNegative((long) number);
  }

  private static long notNegative(long number) {
    if (number < 0) {
      throw new BadMessageException("a number of " + number);
    }
    return number;
  }

  private static long readClock(ByteBuf in) {
    return notNegative(in.readLong());
  }

  private static LinkFrame empty(ByteBuf in, LinkFrame frame) {
    if (in.isReadable()) {
      throw new BadMessageException(in.readableBytes() + " bytes too many");
    }
    return frame;
  }

  private static void require(ByteBuf in, int bytes) {
    if (in.readableBytes() < bytes) {
      throw new BadMessageException("it ends too early");
    }
  }

  private static Bytes rest(ByteBuf in) {
    byte[] rest = new byte[in.readableBytes()];
    in.readBytes(rest);
    return Bytes.wrap(rest);
  }

  /** Decodes frames. Never allocates memory for announced lengths. */
  final class Decoder extends ByteToMessageDecoder {
    private final BooleanSupplier isOver;

    /**
     * @param isOver whether received bytes are dropped
     */
    Decoder(BooleanSupplier isOver) {
      this.isOver = isOver;
    }

    @Override
    protected void decode(ChannelHandlerContext context, ByteBuf in, List<Object> out) {
      if (isOver.getAsBoolean()) {
        in.skipBytes(in.readableBytes());
        return;
      }
      if (in.readableBytes() < Integer.BYTES) {
        return;
      }
      int length = in.getInt(in.readerIndex());
      if (length < 1 || length > MAX_BYTES) {
        throw new BadMessageException("a frame of %d bytes".formatted(length));
      }
      if (in.readableBytes() >= Integer.BYTES + length) {
        in.skipBytes(Integer.BYTES);
        out.add(LinkFrame.decode(in.readSlice(length)));
      }
    }
  }
}
