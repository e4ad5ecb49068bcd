package io.github.stablecut.crdt.codec;

import com.esotericsoftware.kryo.KryoException;
import com.esotericsoftware.kryo.io.Input;
import io.github.stablecut.crdt.CrdtType;
import io.github.stablecut.crdt.CrdtTypes;
import io.github.stablecut.crdt.Decoder;
import io.github.stablecut.crdt.Encoder;
import io.github.stablecut.crdt.FormatException;
import io.github.stablecut.crdt.OperationRefusedException;
import io.github.stablecut.crdt.PageWriter;
import io.github.stablecut.crdt.Pages;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongFunction;

/**
 * Encodes and decodes states, operations, effects and pages.
 *
 * <pre>
 *   version   1 byte, now 1
 *   type      {@link CrdtType#typeId}, 1 to 5 bytes, 7 bits each, low bits first, the eighth set while more follow
 *   content   in the format of the type
 * </pre>
 *
 * <p>Decoding rejects other bytes with a {@link FormatException} and allocates at most a small
 * multiple of the input's size. Thread-safe.
 */
public final class CrdtCodec {
  private static final int VERSION = 1;

  /** The maximum size of version and type. */
  private static final int MAX_HEAD_BYTES = 10;

  private static final ThreadLocal<BytesOutput> OUTPUTS = ThreadLocal.withInitial(BytesOutput::new);

  private CrdtCodec() {}

  /** Encodes a state. Equal states give equal bytes. */
  public static <S> byte[] encodeState(CrdtType<S, ?, ?, ?> type, S state) {
    return encode(type, Optional.empty(), out -> type.writeState(state, out));
  }

  /**
   * Encodes a state within a size limit.
   *
   * @param maxBytes the maximum number of bytes, at most {@link Limits#MAX_BYTES}
   * @return empty if there are more; uses little more memory than the limit
   */
  public static <S> Optional<byte[]> encodeState(
      CrdtType<S, ?, ?, ?> type, S state, long maxBytes) {
    try {
      return Optional.of(
          encode(type, Optional.empty(), maxBytes, out -> type.writeState(state, out)));
    } catch (KryoException e) {
      return Optional.empty();
    }
  }

  /**
   * Encodes a large state without its pages, and its changed pages.
   *
   * @param pages stores the pages
   */
  public static <S> byte[] encodeState(CrdtType<S, ?, ?, ?> type, S state, PageWriter pages) {
    return encode(type, Optional.of(pages), out -> type.writeState(state, out));
  }

  /** The number of bytes of an encoded state, even if beyond the limit of {@link #encodeState}. */
  public static <S> long measureState(CrdtType<S, ?, ?, ?> type, S state) {
    CountingOutput out = new CountingOutput();
    writeHead(type, out);
    type.writeState(state, new KryoEncoder(out));
    return out.count();
  }

  /**
   * Estimates the heap that the effect of an operation takes, as objects and encoded. For
   * operations that list the elements they change.
   */
  public static <O> long weighOperation(CrdtType<?, O, ?, ?> type, O operation) {
    WeighingEncoder out = new WeighingEncoder();
    type.writeOperation(operation, out);
    return out.weight();
  }

  /**
   * Encodes a page.
   *
   * @param pages stores the pages that this one refers to
   */
  public static byte[] encodePage(Consumer<Encoder> content, PageWriter pages) {
    BytesOutput out = new BytesOutput();
    try {
      content.accept(new KryoEncoder(out, Optional.of(pages)));
    } catch (KryoException e) {
      throw new OperationRefusedException(
          "a page of a large object is larger than %d bytes: split its entries"
              .formatted(Limits.MAX_BYTES));
    }
    return out.toBytes();
  }

  /** Encodes an effect. */
  public static <E> byte[] encodeEffect(CrdtType<?, ?, E, ?> type, E effect) {
    return encode(type, Optional.empty(), out -> type.writeEffect(effect, out));
  }

  /** Encodes an operation. */
  public static <O> byte[] encodeOperation(CrdtType<?, O, ?, ?> type, O operation) {
    return encode(type, Optional.empty(), out -> type.writeOperation(operation, out));
  }

  /**
   * Decodes an operation.
   *
   * @throws FormatException if the bytes are not a valid operation on this type
   */
  public static <O> O decodeOperation(CrdtType<?, O, ?, ?> type, byte[] bytes) {
    return decodeOperation(type, bytes, Optional.empty());
  }

  /**
   * Decodes an operation that is part of other bytes.
   *
   * @param within the decoder of those bytes, whose element budget also applies here
   */
  public static <O> O decodeOperation(
      CrdtType<?, O, ?, ?> type, byte[] bytes, Optional<Decoder> within) {
    try {
      return decode(
          type,
          bytes,
          Optional.empty(),
          in -> {
            within.ifPresent(whole -> KryoDecoder.countTogether(in, whole));
            return type.readOperation(in);
          });
    } catch (OperationRefusedException e) {
      throw new FormatException(type.name() + ": invalid operation", e);
    }
  }

  /**
   * Decodes a state.
   *
   * @throws FormatException if the bytes are not a valid state of this type
   */
  public static <S> S decodeState(CrdtType<S, ?, ?, ?> type, byte[] bytes) {
    return decode(type, bytes, Optional.empty(), type::readState);
  }

  /**
   * Decodes a large state in pages.
   *
   * @param pages the pages, which are read on demand
   * @throws FormatException if the bytes are not a valid state of this type
   */
  public static <S> S decodeState(CrdtType<S, ?, ?, ?> type, byte[] bytes, Pages pages) {
    return decode(type, bytes, Optional.of(pages), type::readState);
  }

  /**
   * Decodes a page.
   *
   * @param pages the pages that this one refers to
   * @throws FormatException if the bytes are not a valid page of this kind
   */
  public static <T> T decodePage(byte[] bytes, Pages pages, Function<Decoder, T> content) {
    Input input = Inputs.take(bytes);
    try {
      KryoDecoder in = new KryoDecoder(input, Optional.of(pages));
      T decoded = content.apply(in);
      checkEnd(in, "page");
      return decoded;
    } catch (KryoException e) {
      throw new FormatException("page: the bytes end too early", e);
    } finally {
      Inputs.release(input);
    }
  }

  /**
   * Decodes an effect.
   *
   * @throws FormatException if the bytes are not a valid effect of this type
   */
  public static <E> E decodeEffect(CrdtType<?, ?, E, ?> type, byte[] bytes) {
    return decode(type, bytes, Optional.empty(), type::readEffect);
  }

  /**
   * The type of an encoded effect.
   *
   * @param encoded the effect, from position to limit, which don't change
   * @throws FormatException if this version does not know the type
   */
  public static CrdtType<?, ?, ?, ?> typeOf(ByteBuffer encoded) {
    return typeOf(encoded, CrdtTypes::byId);
  }

  /**
   * The type of an encoded state.
   *
   * @throws FormatException if this version does not know the type
   */
  public static CrdtType<?, ?, ?, ?> typeOfState(byte[] encoded) {
    return typeOf(ByteBuffer.wrap(encoded), CrdtTypes::ofStates);
  }

  private static CrdtType<?, ?, ?, ?> typeOf(
      ByteBuffer encoded, LongFunction<Optional<CrdtType<?, ?, ?, ?>>> types) {
    byte[] head = new byte[Math.min(encoded.remaining(), MAX_HEAD_BYTES)];
    encoded.get(encoded.position(), head);
    Input input = Inputs.take(head);
    try {
      long typeId = readTypeId(new KryoDecoder(input), "object");
      return types
          .apply(typeId)
          .orElseThrow(
              () -> new FormatException("unknown type " + typeId + ": written by a newer version"));
    } catch (KryoException e) {
      throw new FormatException("the bytes end before their type", e);
    } finally {
      Inputs.release(input);
    }
  }

  private static long readTypeId(KryoDecoder in, String what) {
    int version = in.readByte();
    if (version != VERSION) {
      throw new FormatException(
          what + ": encoding version is " + version + ", this version reads " + VERSION);
    }
    return in.readUnsigned();
  }

  private static byte[] encode(
      CrdtType<?, ?, ?, ?> type, Optional<PageWriter> pages, Consumer<Encoder> content) {
    try {
      return encode(type, pages, Limits.MAX_BYTES, content);
    } catch (KryoException e) {
      throw new OperationRefusedException(
          type.name()
              + " is larger than "
              + Limits.MAX_BYTES
              + " bytes: distribute it over several keys");
    }
  }

  private static byte[] encode(
      CrdtType<?, ?, ?, ?> type,
      Optional<PageWriter> pages,
      long maxBytes,
      Consumer<Encoder> content) {
    BytesOutput out = OUTPUTS.get();
    out.reset(maxBytes);
    boolean isReusable = false;
    try {
      writeHead(type, out);
      content.accept(new KryoEncoder(out, pages));
      byte[] bytes = out.toBytes();
      isReusable = out.isReusable();
      return bytes;
    } finally {
      // After any exception the buffer is not reused: one that could not grow because memory was
      // exhausted has a wrong capacity.
      if (!isReusable) {
        OUTPUTS.remove();
      }
    }
  }

  private static void writeHead(CrdtType<?, ?, ?, ?> type, BytesOutput out) {
    out.writeByte(VERSION);
    out.writeVarInt(type.typeId(), true);
  }

  private static void checkEnd(KryoDecoder in, String what) {
    if (in.remaining() > 0) {
      throw new FormatException(what + ": " + in.remaining() + " bytes too many");
    }
  }

  private static <T> T decode(
      CrdtType<?, ?, ?, ?> type,
      byte[] bytes,
      Optional<Pages> pages,
      Function<Decoder, T> content) {
    Input input = Inputs.take(bytes);
    try {
      KryoDecoder in = new KryoDecoder(input, pages);
      long typeId = readTypeId(in, type.name());
      if (typeId != type.typeId()) {
        throw new FormatException(
            "the type is " + typeId + ", expected " + type.typeId() + " (" + type.name() + ")");
      }
      T decoded = content.apply(in);
      checkEnd(in, type.name());
      return decoded;
    } catch (KryoException e) {
      throw new FormatException(type.name() + ": the bytes end too early", e);
    } finally {
      Inputs.release(input);
    }
  }
}
