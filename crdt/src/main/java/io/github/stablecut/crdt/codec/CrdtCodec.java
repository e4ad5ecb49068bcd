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
 * The bytes of states and effects.
 *
 * <pre>
 *   version   1 byte, now 1
 *   type      {@link CrdtType#typeId}, 1 to 5 bytes, 7 bits each, low bits first, the eighth set while more follow
 *   content   as the type writes it
 * </pre>
 *
 * <p>Decoding answers anything else with a {@link FormatException} and allocates no more than a
 * small multiple of the input's size. Thread-safe.
 */
public final class CrdtCodec {
  private static final int VERSION = 1;

  /** Version and type take at most this much. */
  private static final int MAX_HEAD_BYTES = 10;

  private static final ThreadLocal<BytesOutput> OUTPUTS = ThreadLocal.withInitial(BytesOutput::new);

  private CrdtCodec() {}

  /** The bytes of a state. Equal states give equal bytes. */
  public static <S> byte[] encodeState(CrdtType<S, ?, ?, ?> type, S state) {
    return encode(type, Optional.empty(), out -> type.writeState(state, out));
  }

  /**
   * The bytes of a state, if there are not too many.
   *
   * @param most how many there may be, at most {@link Limits#MAX_BYTES}
   * @return empty if there are more; little more memory than for so many is taken then
   */
  public static <S> Optional<byte[]> encodeState(CrdtType<S, ?, ?, ?> type, S state, long most) {
    try {
      return Optional.of(encode(type, Optional.empty(), most, out -> type.writeState(state, out)));
    } catch (KryoException e) {
      return Optional.empty();
    }
  }

  /**
   * The bytes of a large state without its pages, and its pages, as far as they have changed.
   *
   * @param pages takes the pages
   */
  public static <S> byte[] encodeState(CrdtType<S, ?, ?, ?> type, S state, PageWriter pages) {
    return encode(type, Optional.of(pages), out -> type.writeState(state, out));
  }

  /** How many bytes {@link #encodeState} would make of a state, which may be too many for it. */
  public static <S> long measureState(CrdtType<S, ?, ?, ?> type, S state) {
    CountingOutput out = new CountingOutput();
    writeHead(type, out);
    type.writeState(state, new KryoEncoder(out));
    return out.count();
  }

  /**
   * What the effect of an operation takes of the heap, about, as objects and encoded; of one that
   * says what it does element by element.
   */
  public static <O> long weighOperation(CrdtType<?, O, ?, ?> type, O operation) {
    WeighingEncoder out = new WeighingEncoder();
    type.writeOperation(operation, out);
    return out.weight();
  }

  /**
   * The bytes of a page.
   *
   * @param pages takes the pages that this one refers to
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

  /** The bytes of an effect. */
  public static <E> byte[] encodeEffect(CrdtType<?, ?, E, ?> type, E effect) {
    return encode(type, Optional.empty(), out -> type.writeEffect(effect, out));
  }

  /** The bytes of an operation. */
  public static <O> byte[] encodeOperation(CrdtType<?, O, ?, ?> type, O operation) {
    return encode(type, Optional.empty(), out -> type.writeOperation(operation, out));
  }

  /**
   * The operation that some bytes stand for.
   *
   * @throws FormatException if they are not the bytes of an operation on this type
   */
  public static <O> O decodeOperation(CrdtType<?, O, ?, ?> type, byte[] bytes) {
    return decodeOperation(type, bytes, Optional.empty());
  }

  /**
   * The same of bytes that are a part of others.
   *
   * @param within reads those; what bounds the number of their elements bounds those here, too
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
      throw new FormatException(type.name() + ": there is no such operation", e);
    }
  }

  /**
   * The state that some bytes stand for.
   *
   * @throws FormatException if they are not the bytes of a state of this type
   */
  public static <S> S decodeState(CrdtType<S, ?, ?, ?> type, byte[] bytes) {
    return decode(type, bytes, Optional.empty(), type::readState);
  }

  /**
   * The large state that some bytes and pages stand for.
   *
   * @param pages are read when they are needed
   * @throws FormatException if the bytes are not those of a state of this type
   */
  public static <S> S decodeState(CrdtType<S, ?, ?, ?> type, byte[] bytes, Pages pages) {
    return decode(type, bytes, Optional.of(pages), type::readState);
  }

  /**
   * What a page stands for.
   *
   * @param pages those that this one refers to
   * @throws FormatException if the bytes are not those of such a page
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
      Inputs.giveBack(input);
    }
  }

  /**
   * The effect that some bytes stand for.
   *
   * @throws FormatException if they are not the bytes of an effect of this type
   */
  public static <E> E decodeEffect(CrdtType<?, ?, E, ?> type, byte[] bytes) {
    return decode(type, bytes, Optional.empty(), type::readEffect);
  }

  /**
   * The type of an encoded effect.
   *
   * @param encoded from its position to its limit, both of which stay
   * @throws FormatException if this program does not know it
   */
  public static CrdtType<?, ?, ?, ?> typeOf(ByteBuffer encoded) {
    return typeOf(encoded, CrdtTypes::byId);
  }

  /**
   * The type of an encoded state.
   *
   * @throws FormatException if this program does not know it
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
              () ->
                  new FormatException(
                      "type number " + typeId + " is not known: a newer program wrote it"));
    } catch (KryoException e) {
      throw new FormatException("the bytes end before their type", e);
    } finally {
      Inputs.giveBack(input);
    }
  }

  private static long readTypeId(KryoDecoder in, String of) {
    int version = in.readByte();
    if (version != VERSION) {
      throw new FormatException(
          of + ": encoding version is " + version + ", this program reads " + VERSION);
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
              + " bytes: split it over several keys");
    }
  }

  private static byte[] encode(
      CrdtType<?, ?, ?, ?> type, Optional<PageWriter> pages, long most, Consumer<Encoder> content) {
    BytesOutput out = OUTPUTS.get();
    out.reset(most);
    boolean isReusable = false;
    try {
      writeHead(type, out);
      content.accept(new KryoEncoder(out, pages));
      byte[] bytes = out.toBytes();
      isReusable = out.isWorthKeeping();
      return bytes;
    } finally {
      // Whatever was thrown, the buffer is not used again: one that could not grow for want of
      // memory takes itself for larger than it is.
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
            "type is number " + typeId + ", expected " + type.typeId() + " (" + type.name() + ")");
      }
      T decoded = content.apply(in);
      checkEnd(in, type.name());
      return decoded;
    } catch (KryoException e) {
      throw new FormatException(type.name() + ": the bytes end too early", e);
    } finally {
      Inputs.giveBack(input);
    }
  }
}
