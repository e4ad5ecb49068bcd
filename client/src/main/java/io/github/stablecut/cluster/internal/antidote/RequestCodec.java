package io.github.stablecut.cluster.internal.antidote;

import static io.github.stablecut.cluster.internal.antidote.ObjectCodec.required;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.crdt.Bytes;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Encodes and decodes requests. Decoding skips unknown fields.
 *
 * <pre>
 *   116 ApbReadObjects            * ApbBoundObject boundobjects=1   ! bytes transaction_descriptor=2
 *   118 ApbUpdateObjects          * ApbUpdateOp updates=1           ! bytes transaction_descriptor=2
 *   119 ApbStartTransaction       ? bytes timestamp=1               ? ApbTxnProperties properties=2
 *   120 ApbAbortTransaction       ! bytes transaction_descriptor=1
 *   121 ApbCommitTransaction      ! bytes transaction_descriptor=1
 *   122 ApbStaticUpdateObjects    ! ApbStartTransaction transaction=1   * ApbUpdateOp updates=2
 *   123 ApbStaticReadObjects      ! ApbStartTransaction transaction=1   * ApbBoundObject objects=2
 *   129 ApbCreateDC               * string nodes=1
 *   131 ApbConnectToDCs           * bytes descriptors=1
 *   133 ApbGetConnectionDescriptor  (empty)
 *   135 ApbValidateOrReadObjects  * ApbBoundObject boundobjects=1   * bytes object_tokens=2
 *                                 ! bytes transaction_descriptor=3
 * </pre>
 *
 * AntidoteDB ignores the properties ({@code read_write}, {@code red_blue}, locks), too. An absent
 * timestamp, or the Erlang atom {@code ignore} in either encoding, is no bound.
 */
public final class RequestCodec {
  private static final Set<Bytes> IGNORE =
      Set.of(
          Bytes.wrap(HexFormat.of().parseHex("83640006" + "69676e6f7265")),
          Bytes.wrap(HexFormat.of().parseHex("837706" + "69676e6f7265")));

  private static final int PARTS = 1;
  private static final int DESCRIPTOR = 2;
  private static final int ONLY_DESCRIPTOR = 1;
  private static final int TIMESTAMP = 1;
  private static final int START = 1;
  private static final int STATIC_PARTS = 2;
  private static final int TOKENS = 2;
  private static final int VALIDATE_DESCRIPTOR = 3;

  private RequestCodec() {}

  /**
   * Decodes a frame without its length.
   *
   * @param frame its chunks, which are removed as they are read
   * @throws ProtocolException if the frame is no request
   */
  public static Request read(Deque<byte[]> frame) {
    WireReader in = WireReader.of(frame);
    int code = in.code();
    return switch (code) {
      case MessageCode.READ_OBJECTS -> readRead(in);
      case MessageCode.UPDATE_OBJECTS -> readUpdate(in);
      case MessageCode.START_TRANSACTION -> readStart(in);
      case MessageCode.ABORT_TRANSACTION -> new Request.Abort(readDescriptor(in));
      case MessageCode.COMMIT_TRANSACTION -> new Request.Commit(readDescriptor(in));
      case MessageCode.STATIC_UPDATE_OBJECTS -> readStaticUpdate(in);
      case MessageCode.STATIC_READ_OBJECTS -> readStaticRead(in);
      case MessageCode.CREATE_DC -> readCreate(in);
      case MessageCode.CONNECT_TO_DCS -> new Request.ConnectDataCentres(readStrings(in));
      case MessageCode.GET_CONNECTION_DESCRIPTOR -> {
        readStrings(in);
        yield new Request.DescribeConnection();
      }
      case MessageCode.VALIDATE_OR_READ_OBJECTS -> readValidate(in);
      default ->
          throw new ProtocolException(
              "no request has code "
                  + code
                  + ": AntidoteDB's protocol has 116, 118 to 123, 129, 131, 133 and 135");
    };
  }

  /**
   * Encodes a request to a frame.
   *
   * @throws TooLargeException if the frame would exceed the limit
   */
  public static List<ByteBuffer> write(Request request, long maxBytes) {
    return request.accept(new Writer(new WireWriter(maxBytes)));
  }

  private record Writer(WireWriter out) implements Request.Visitor<List<ByteBuffer>> {
    @Override
    public List<ByteBuffer> read(Request.Read request) {
      out.bytes(DESCRIPTOR, request.descriptor());
      out.messages(PARTS, request.objects(), ObjectCodec::writeObject);
      return out.frame(MessageCode.READ_OBJECTS);
    }

    @Override
    public List<ByteBuffer> update(Request.Update request) {
      out.bytes(DESCRIPTOR, request.descriptor());
      out.messages(PARTS, request.updates(), ObjectCodec::writeUpdate);
      return out.frame(MessageCode.UPDATE_OBJECTS);
    }

    @Override
    public List<ByteBuffer> start(Request.Start request) {
      writeStart(out, request.clock());
      return out.frame(MessageCode.START_TRANSACTION);
    }

    @Override
    public List<ByteBuffer> abort(Request.Abort request) {
      out.bytes(ONLY_DESCRIPTOR, request.descriptor());
      return out.frame(MessageCode.ABORT_TRANSACTION);
    }

    @Override
    public List<ByteBuffer> commit(Request.Commit request) {
      out.bytes(ONLY_DESCRIPTOR, request.descriptor());
      return out.frame(MessageCode.COMMIT_TRANSACTION);
    }

    @Override
    public List<ByteBuffer> staticUpdate(Request.StaticUpdate request) {
      out.messages(STATIC_PARTS, request.updates(), ObjectCodec::writeUpdate);
      out.message(START, () -> writeStart(out, request.clock()));
      return out.frame(MessageCode.STATIC_UPDATE_OBJECTS);
    }

    @Override
    public List<ByteBuffer> staticRead(Request.StaticRead request) {
      out.messages(STATIC_PARTS, request.objects(), ObjectCodec::writeObject);
      out.message(START, () -> writeStart(out, request.clock()));
      return out.frame(MessageCode.STATIC_READ_OBJECTS);
    }

    @Override
    public List<ByteBuffer> validate(Request.Validate request) {
      out.bytes(VALIDATE_DESCRIPTOR, request.descriptor());
      out.strings(TOKENS, request.tokens());
      out.messages(PARTS, request.objects(), ObjectCodec::writeObject);
      return out.frame(MessageCode.VALIDATE_OR_READ_OBJECTS);
    }

    @Override
    public List<ByteBuffer> createDataCentre(Request.CreateDataCentre request) {
      out.strings(PARTS, request.nodes().stream().map(Bytes::utf8).toList());
      return out.frame(MessageCode.CREATE_DC);
    }

    @Override
    public List<ByteBuffer> connectDataCentres(Request.ConnectDataCentres request) {
      out.strings(PARTS, request.descriptors());
      return out.frame(MessageCode.CONNECT_TO_DCS);
    }

    @Override
    public List<ByteBuffer> describeConnection(Request.DescribeConnection request) {
      return out.frame(MessageCode.GET_CONNECTION_DESCRIPTOR);
    }
  }

  private static Request readRead(WireReader in) {
    List<BoundObject> objects = new ArrayList<>();
    Bytes descriptor = null;
    while (in.hasNext()) {
      switch (in.next()) {
        case PARTS -> objects.add(in.message(ObjectCodec::readObject));
        case DESCRIPTOR -> descriptor = in.bytes();
        default -> in.skip();
      }
    }
    return new Request.Read(objects, transaction(descriptor));
  }

  private static Request readUpdate(WireReader in) {
    List<ObjectUpdate> updates = new ArrayList<>();
    Bytes descriptor = null;
    while (in.hasNext()) {
      switch (in.next()) {
        case PARTS -> updates.add(in.message(ObjectCodec::readUpdate));
        case DESCRIPTOR -> descriptor = in.bytes();
        default -> in.skip();
      }
    }
    return new Request.Update(updates, transaction(descriptor));
  }

  private static Request readValidate(WireReader in) {
    List<BoundObject> objects = new ArrayList<>();
    List<Bytes> tokens = new ArrayList<>();
    Bytes descriptor = null;
    while (in.hasNext()) {
      switch (in.next()) {
        case PARTS -> objects.add(in.message(ObjectCodec::readObject));
        case TOKENS -> tokens.add(in.bytes());
        case VALIDATE_DESCRIPTOR -> descriptor = in.bytes();
        default -> in.skip();
      }
    }
    return new Request.Validate(objects, tokens, transaction(descriptor));
  }

  private static Request readStaticUpdate(WireReader in) {
    Optional<Bytes> clock = Optional.empty();
    List<ObjectUpdate> updates = new ArrayList<>();
    while (in.hasNext()) {
      switch (in.next()) {
        case START -> clock = in.message(RequestCodec::readStart).clock();
        case STATIC_PARTS -> updates.add(in.message(ObjectCodec::readUpdate));
        default -> in.skip();
      }
    }
    return new Request.StaticUpdate(clock, updates);
  }

  private static Request readStaticRead(WireReader in) {
    Optional<Bytes> clock = Optional.empty();
    List<BoundObject> objects = new ArrayList<>();
    while (in.hasNext()) {
      switch (in.next()) {
        case START -> clock = in.message(RequestCodec::readStart).clock();
        case STATIC_PARTS -> objects.add(in.message(ObjectCodec::readObject));
        default -> in.skip();
      }
    }
    return new Request.StaticRead(clock, objects);
  }

  private static Request.Start readStart(WireReader in) {
    Optional<Bytes> clock = Optional.empty();
    while (in.hasNext()) {
      if (in.next() == TIMESTAMP) {
        clock = Optional.of(in.bytes()).filter(bytes -> !IGNORE.contains(bytes));
      } else {
        in.skip();
      }
    }
    return new Request.Start(clock);
  }

  private static void writeStart(WireWriter out, Optional<Bytes> clock) {
    clock.ifPresent(bytes -> out.bytes(TIMESTAMP, bytes));
  }

  private static Bytes readDescriptor(WireReader in) {
    Bytes descriptor = null;
    while (in.hasNext()) {
      if (in.next() == ONLY_DESCRIPTOR) {
        descriptor = in.bytes();
      } else {
        in.skip();
      }
    }
    return transaction(descriptor);
  }

  private static Bytes transaction(@Nullable Bytes descriptor) {
    return required(descriptor, "the transaction_descriptor");
  }

  private static Request readCreate(WireReader in) {
    return new Request.CreateDataCentre(readStrings(in).stream().map(Bytes::toUtf8).toList());
  }

  @CanIgnoreReturnValue
  private static List<Bytes> readStrings(WireReader in) {
    List<Bytes> strings = new ArrayList<>();
    while (in.hasNext()) {
      if (in.next() == PARTS) {
        strings.add(in.bytes());
      } else {
        in.skip();
      }
    }
    return strings;
  }
}
