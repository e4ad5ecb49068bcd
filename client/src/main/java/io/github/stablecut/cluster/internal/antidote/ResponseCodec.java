package io.github.stablecut.cluster.internal.antidote;

import static io.github.stablecut.cluster.internal.antidote.ObjectCodec.required;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.stablecut.crdt.Bytes;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;

/**
 * Encodes and decodes answers.
 *
 * <pre>
 *     0 ApbErrorResp              ! bytes errmsg=1    ! uint32 errcode=2
 *   111 ApbOperationResp          ! bool success=1    ? uint32 errorcode=2
 *   124 ApbStartTransactionResp   ! bool success=1    ? bytes transaction_descriptor=2   ? uint32 errorcode=3
 *   126 ApbReadObjectsResp        ! bool success=1    * ApbReadObjectResp objects=2      ? uint32 errorcode=3
 *   127 ApbCommitResp             ! bool success=1    ? bytes commit_time=2              ? uint32 errorcode=3
 *   128 ApbStaticReadObjectsResp  ! ApbReadObjectsResp objects=1   ! ApbCommitResp committime=2
 *   130 ApbCreateDCResp           ! bool success=1    ? uint32 errorcode=2     ? bytes reason=3 (ours)
 *   132 ApbConnectToDCsResp       ! bool success=1    ? uint32 errorcode=2     ? bytes reason=3 (ours)
 *   134 ApbGetConnectionDescriptorResp  ! bool success=1   ? bytes descriptor=2          ? uint32 errorcode=3
 *   136 ApbValidateOrReadObjectsResp    ! bool success=1   * ApbReadObjectResp objects=2 * bytes tokens=3
 *                                                          ? uint32 errorcode=4
 * </pre>
 */
public final class ResponseCodec {
  private static final int MESSAGE = 1;
  private static final int MESSAGE_CODE = 2;
  private static final int SUCCESS = 1;
  private static final int CONTENT = 2;
  private static final int OPERATION_ERROR = 2;
  private static final int ERROR = 3;
  private static final int TOKENS = 3;
  private static final int REASON = 3;
  private static final int VALUES = 1;
  private static final int CLOCK = 2;

  private ResponseCodec() {}

  /**
   * Encodes an answer to a frame.
   *
   * @throws TooLargeException if the frame would exceed the limit
   */
  public static List<ByteBuffer> write(Response response, long maxBytes) {
    return response.accept(new Writer(new WireWriter(maxBytes)));
  }

  /** A lower bound of the size of an answer's frame, computed without encoding it. */
  public static long minBytes(Response response) {
    if (response instanceof Response.Values answer) {
      return ValueCodec.minBytes(answer.values());
    } else if (response instanceof Response.StaticValues answer) {
      return ValueCodec.minBytes(answer.values());
    }
    // Other answers are small, or were limited in size when they were created.
    return 0;
  }

  private record Writer(WireWriter out) implements Response.Visitor<List<ByteBuffer>> {
    @Override
    public List<ByteBuffer> values(Response.Values response) {
      writeValues(out, response.values());
      return out.frame(MessageCode.READ_OBJECTS_RESPONSE);
    }

    @Override
    public List<ByteBuffer> staticValues(Response.StaticValues response) {
      out.message(CLOCK, () -> writeContent(out, response.clock()));
      out.message(VALUES, () -> writeValues(out, response.values()));
      return out.frame(MessageCode.STATIC_READ_OBJECTS_RESPONSE);
    }

    @Override
    public List<ByteBuffer> committed(Response.Committed response) {
      writeContent(out, response.clock());
      return out.frame(MessageCode.COMMIT_RESPONSE);
    }

    @Override
    public List<ByteBuffer> notCommitted(Response.NotCommitted response) {
      out.varint(ERROR, response.code().number());
      out.bool(SUCCESS, false);
      return out.frame(MessageCode.COMMIT_RESPONSE);
    }

    @Override
    public List<ByteBuffer> started(Response.Started response) {
      writeContent(out, response.descriptor());
      return out.frame(MessageCode.START_TRANSACTION_RESPONSE);
    }

    @Override
    public List<ByteBuffer> refused(Response.Refused response) {
      out.varint(OPERATION_ERROR, response.code().number());
      out.bool(SUCCESS, false);
      return out.frame(MessageCode.OPERATION_RESPONSE);
    }

    @Override
    public List<ByteBuffer> failed(Response.Failed response) {
      out.varint(MESSAGE_CODE, response.code().number());
      // Unencodable text, such as half a surrogate pair in a refused name, becomes a question mark.
      out.bytes(MESSAGE, Bytes.wrap(response.message().getBytes(UTF_8)));
      return out.frame(MessageCode.ERROR);
    }

    @Override
    public List<ByteBuffer> validated(Response.Validated response) {
      out.strings(TOKENS, response.tokens());
      out.messages(CONTENT, response.values(), ResponseCodec::writeIfPresent);
      return success(MessageCode.VALIDATE_OR_READ_OBJECTS_RESPONSE);
    }

    @Override
    public List<ByteBuffer> connectionDescribed(Response.ConnectionDescribed response) {
      writeContent(out, response.descriptor());
      return out.frame(MessageCode.GET_CONNECTION_DESCRIPTOR_RESPONSE);
    }

    @Override
    public List<ByteBuffer> dataCentreCreated(Response.DataCentreCreated response) {
      return success(MessageCode.CREATE_DC_RESPONSE);
    }

    @Override
    public List<ByteBuffer> dataCentresConnected(Response.DataCentresConnected response) {
      return success(MessageCode.CONNECT_TO_DCS_RESPONSE);
    }

    @Override
    public List<ByteBuffer> done(Response.Done response) {
      return success(MessageCode.OPERATION_RESPONSE);
    }

    @Override
    public List<ByteBuffer> dataCentreNotCreated(Response.DataCentreNotCreated response) {
      return failure(MessageCode.CREATE_DC_RESPONSE, response.code(), response.reason());
    }

    @Override
    public List<ByteBuffer> dataCentresNotConnected(Response.DataCentresNotConnected response) {
      return failure(MessageCode.CONNECT_TO_DCS_RESPONSE, response.code(), response.reason());
    }

    private List<ByteBuffer> failure(int messageCode, ErrorCode code, String reason) {
      out.bytes(REASON, Bytes.wrap(reason.getBytes(UTF_8)));
      out.varint(OPERATION_ERROR, code.number());
      out.bool(SUCCESS, false);
      return out.frame(messageCode);
    }

    private List<ByteBuffer> success(int code) {
      out.bool(SUCCESS, true);
      return out.frame(code);
    }
  }

  private static void writeValues(WireWriter out, List<WireValue> values) {
    out.messages(CONTENT, values, ValueCodec::write);
    out.bool(SUCCESS, true);
  }

  private static void writeContent(WireWriter out, Bytes content) {
    out.bytes(CONTENT, content);
    out.bool(SUCCESS, true);
  }

  private static void writeIfPresent(WireWriter out, Optional<WireValue> value) {
    value.ifPresent(present -> ValueCodec.write(out, present));
  }

  /**
   * Decodes a frame without its length.
   *
   * @param frame its chunks, which are removed as they are read
   * @throws ProtocolException if the frame is no answer
   */
  public static Response read(Deque<byte[]> frame) {
    WireReader in = WireReader.of(frame);
    int code = in.code();
    return switch (code) {
      case MessageCode.ERROR -> readFailed(in);
      case MessageCode.OPERATION_RESPONSE ->
          readFlat(in, OPERATION_ERROR)
              .error()
              .<Response>map(Response.Refused::new)
              .orElseGet(Response.Done::new);
      case MessageCode.START_TRANSACTION_RESPONSE ->
          new Response.Started(readFlat(in, ERROR).checked());
      case MessageCode.READ_OBJECTS_RESPONSE -> new Response.Values(readValues(in));
      case MessageCode.COMMIT_RESPONSE -> readCommit(in);
      case MessageCode.STATIC_READ_OBJECTS_RESPONSE -> readStaticValues(in);
      case MessageCode.VALIDATE_OR_READ_OBJECTS_RESPONSE -> readValidated(in);
      case MessageCode.CREATE_DC_RESPONSE ->
          readManagement(in, new Response.DataCentreCreated(), Response.DataCentreNotCreated::new);
      case MessageCode.CONNECT_TO_DCS_RESPONSE ->
          readManagement(
              in, new Response.DataCentresConnected(), Response.DataCentresNotConnected::new);
      case MessageCode.GET_CONNECTION_DESCRIPTOR_RESPONSE ->
          new Response.ConnectionDescribed(readFlat(in, ERROR).checked());
      default -> throw new ProtocolException("no answer has code " + code);
    };
  }

  /** The fields of most answers: success, and either some bytes or an error number. */
  private record Flat(boolean success, Bytes content, ErrorCode code) {
    Optional<ErrorCode> error() {
      return success ? Optional.empty() : Optional.of(code);
    }

    void check() {
      if (!success) {
        throw new ProtocolException("the server answered error " + code + " without a reason");
      }
    }

    Bytes checked() {
      check();
      return content;
    }
  }

  private static Flat readFlat(WireReader in, int errorField) {
    boolean success = false;
    Bytes content = Bytes.EMPTY;
    ErrorCode error = ErrorCode.UNKNOWN;
    while (in.hasNext()) {
      int field = in.next();
      if (field == SUCCESS) {
        success = in.bool();
      } else if (field == errorField) {
        error = ErrorCode.of(in.varint());
      } else if (field == CONTENT) {
        content = in.bytes();
      } else {
        in.skip();
      }
    }
    return new Flat(success, content, error);
  }

  private static Response readManagement(
      WireReader in, Response success, BiFunction<ErrorCode, String, Response> failure) {
    boolean isSuccess = false;
    ErrorCode code = ErrorCode.UNKNOWN;
    Bytes reason = Bytes.EMPTY;
    while (in.hasNext()) {
      switch (in.next()) {
        case SUCCESS -> isSuccess = in.bool();
        case OPERATION_ERROR -> code = ErrorCode.of(in.varint());
        case REASON -> reason = in.bytes();
        default -> in.skip();
      }
    }
    return isSuccess ? success : failure.apply(code, reason.toUtf8());
  }

  private static Response readFailed(WireReader in) {
    Bytes message = Bytes.EMPTY;
    ErrorCode code = ErrorCode.UNKNOWN;
    while (in.hasNext()) {
      switch (in.next()) {
        case MESSAGE -> message = in.bytes();
        case MESSAGE_CODE -> code = ErrorCode.of(in.varint());
        default -> in.skip();
      }
    }
    return new Response.Failed(code, message.toUtf8());
  }

  private static Response readCommit(WireReader in) {
    Flat commit = readFlat(in, ERROR);
    return commit.success
        ? new Response.Committed(commit.content)
        : new Response.NotCommitted(commit.code);
  }

  private static List<WireValue> readValues(WireReader in) {
    List<WireValue> values = new ArrayList<>();
    while (in.hasNext()) {
      if (in.next() == CONTENT) {
        values.add(required(in.message(ValueCodec::read).orElse(null), "a value"));
      } else {
        in.skip();
      }
    }
    return values;
  }

  private static Response readStaticValues(WireReader in) {
    List<WireValue> values = List.of();
    Bytes clock = Bytes.EMPTY;
    while (in.hasNext()) {
      switch (in.next()) {
        case VALUES -> values = in.message(ResponseCodec::readValues);
        case CLOCK -> clock = in.message(commit -> readFlat(commit, ERROR).checked());
        default -> in.skip();
      }
    }
    return new Response.StaticValues(values, clock);
  }

  private static Response readValidated(WireReader in) {
    List<Optional<WireValue>> values = new ArrayList<>();
    List<Bytes> tokens = new ArrayList<>();
    while (in.hasNext()) {
      switch (in.next()) {
        case CONTENT -> values.add(in.message(ValueCodec::read));
        case TOKENS -> tokens.add(in.bytes());
        default -> in.skip();
      }
    }
    return new Response.Validated(values, tokens);
  }
}
