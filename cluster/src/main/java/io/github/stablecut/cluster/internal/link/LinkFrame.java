package io.github.stablecut.cluster.internal.link;

import io.github.stablecut.cluster.internal.remote.Links;
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
 * order. The first frames of the two ends are {@link Hello} and {@link Welcome}.
 */
sealed interface LinkFrame {
  /** Maximum size of a frame: a message to a replica, and its fields. */
  int MAX_BYTES = Links.MAX_MESSAGE_BYTES + 64;

  int HELLO = 1;
  int WELCOME = 2;
  int REQUEST = 3;
  int REPLY = 4;
  int PING = 5;
  int PONG = 6;
  int MESSAGE = 7;

  /**
   * Identifies the connecting node and the intended receiver.
   *
   * @param protocol the version of the sender's messages
   * @param receiver the incarnation of the intended receiver
   * @param name the sender's name
   * @param incarnation the sender's incarnation
   */
  record Hello(int protocol, long receiver, String name, long incarnation) implements LinkFrame {}

  /**
   * The answer to {@link Hello}.
   *
   * @param refusal why the connection is closed; empty if requests are accepted
   */
  record Welcome(String refusal) implements LinkFrame {}

  /** A request to the owner of a partition. */
  record Request(int partition, long epoch, long number, long clock, Bytes request)
      implements LinkFrame {}

  /** The reply to a request. */
  record Reply(long number, long clock, Bytes reply) implements LinkFrame {}

  /** A message to a replica, which has no reply. */
  record Message(int partition, long clock, Bytes message) implements LinkFrame {}

  /** Requests a {@link Pong}. */
  record Ping() implements LinkFrame {}

  /** Shows that the node is alive. */
  record Pong() implements LinkFrame {}

  /** Encodes a frame, including its length. */
  static ByteBuf encode(ByteBufAllocator allocator, LinkFrame frame) {
    if (frame instanceof Request request) {
      ByteBuf out = begin(allocator, REQUEST, 28 + request.request.length());
      out.writeInt(request.partition).writeLong(request.epoch).writeLong(request.number);
      return out.writeLong(request.clock).writeBytes(request.request.unwrap());
    } else if (frame instanceof Reply reply) {
      ByteBuf out = begin(allocator, REPLY, 16 + reply.reply.length());
      return out.writeLong(reply.number).writeLong(reply.clock).writeBytes(reply.reply.unwrap());
    } else if (frame instanceof Message message) {
      ByteBuf out = begin(allocator, MESSAGE, 12 + message.message.length());
      return out.writeInt(message.partition)
          .writeLong(message.clock)
          .writeBytes(message.message.unwrap());
    } else if (frame instanceof Hello hello) {
      byte[] fields =
          new WireOutput()
              .size(hello.protocol)
              .number(hello.receiver)
              .text(hello.name)
              .number(hello.incarnation)
              .toArray();
      return begin(allocator, HELLO, fields.length).writeBytes(fields);
    } else if (frame instanceof Welcome welcome) {
      byte[] fields = new WireOutput().text(welcome.refusal).toArray();
      return begin(allocator, WELCOME, fields.length).writeBytes(fields);
    }
    return begin(allocator, frame instanceof Ping ? PING : PONG, 0);
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
      case REQUEST -> {
        require(in, 28);
        int partition = in.readInt();
        long epoch = in.readLong();
        long number = in.readLong();
        long clock = in.readLong();
        if (partition < 0 || epoch <= 0 || clock < 0) {
          throw new BadMessageException("a request with a negative number");
        }
        yield new Request(partition, epoch, number, clock, rest(in));
      }
      case REPLY -> {
        require(in, 16);
        long number = in.readLong();
        long clock = in.readLong();
        if (clock < 0) {
          throw new BadMessageException("a reply with a negative number");
        }
        yield new Reply(number, clock, rest(in));
      }
      case MESSAGE -> {
        require(in, 12);
        int partition = in.readInt();
        long clock = in.readLong();
        if (partition < 0 || clock < 0) {
          throw new BadMessageException("a message with a negative number");
        }
        yield new Message(partition, clock, rest(in));
      }
      case HELLO -> {
        WireInput fields = WireInput.untimed(rest(in).unwrap());
        yield fields.end(
            new Hello(fields.small(), fields.number(), fields.text(), fields.number()));
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
