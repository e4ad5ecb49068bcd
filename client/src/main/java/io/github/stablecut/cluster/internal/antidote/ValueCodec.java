package io.github.stablecut.cluster.internal.antidote;

import static io.github.stablecut.cluster.internal.antidote.ObjectCodec.required;

import io.github.stablecut.crdt.Bytes;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * Encodes and decodes values.
 *
 * <pre>
 *   ApbReadObjectResp  (one of) ? ApbGetCounterResp counter=1  ? ApbGetSetResp set=2
 *                               ? ApbGetRegResp reg=3          ? ApbGetMVRegResp mvreg=4
 *                               ? ApbGetMapResp map=6          ? ApbGetFlagResp flag=7
 *   ApbGetCounterResp  ! sint32 value=1   written with 64 bits; 32-bit clients truncate it
 *   ApbGetSetResp      * bytes value=1
 *   ApbGetRegResp      ! bytes value=1
 *   ApbGetMVRegResp    * bytes values=1
 *   ApbMapEntry        ! ApbMapKey key=1   ! ApbReadObjectResp value=2
 *   ApbGetMapResp      * ApbMapEntry entries=1
 *   ApbGetFlagResp     ! bool value=1
 * </pre>
 */
public final class ValueCodec {
  private static final int COUNTER = 1;
  private static final int SET = 2;
  private static final int REGISTER = 3;
  private static final int REGISTERS = 4;
  private static final int MAP = 6;
  private static final int FLAG = 7;

  private static final int VALUE = 1;
  private static final int PLACE = 1;
  private static final int NESTED = 2;

  /** The minimum size of a field: its tag, and a number or a length. */
  private static final long FIELD_BYTES = 2;

  private ValueCodec() {}

  /** Encodes a value as answers do; equal values have equal bytes. */
  public static List<ByteBuffer> encode(WireValue value) {
    WireWriter out = new WireWriter(Long.MAX_VALUE);
    write(out, value);
    return out.frame(MessageCode.READ_OBJECTS_RESPONSE);
  }

  /**
   * Adds a value to the size of an answer, so that the limit applies before all values are in
   * memory.
   *
   * @param before a lower bound of the size without the value
   * @param maxBytes the maximum size of the answer
   * @return a lower bound of the size with the value
   * @throws TooLargeException if the answer would exceed the maximum
   */
  public static long count(WireValue value, long before, long maxBytes) {
    long bytes = before + FIELD_BYTES + minBytes(value);
    if (bytes > maxBytes) {
      throw new TooLargeException(maxBytes);
    }
    return bytes;
  }

  /** A lower bound of the size of values in an answer. */
  static long minBytes(Collection<WireValue> values) {
    return values.stream().mapToLong(value -> FIELD_BYTES + minBytes(value)).sum();
  }

  private static long minBytes(WireValue value) {
    if (value instanceof WireValue.Elements elements) {
      return minBytes(elements.elements());
    } else if (value instanceof WireValue.Registers registers) {
      return minBytes(registers.values());
    } else if (value instanceof WireValue.Register register) {
      return FIELD_BYTES + register.value().length();
    } else if (value instanceof WireValue.Entries entries) {
      return entries.entries().stream()
          .mapToLong(
              entry -> 2 * FIELD_BYTES + entry.place().key().length() + minBytes(entry.value()))
          .sum();
    }
    return FIELD_BYTES;
  }

  private static long minBytes(List<Bytes> strings) {
    long bytes = 0;
    for (Bytes string : strings) {
      bytes += FIELD_BYTES + string.length();
    }
    return bytes;
  }

  /** Decodes a value; empty if the message has none. */
  static Optional<WireValue> read(WireReader in) {
    WireValue value = null;
    while (in.hasNext()) {
      switch (in.next()) {
        case COUNTER -> value = in.message(ValueCodec::readCount);
        case SET -> value = new WireValue.Elements(in.message(ValueCodec::readStrings));
        case REGISTER -> value = in.message(ValueCodec::readRegister);
        case REGISTERS -> value = new WireValue.Registers(in.message(ValueCodec::readStrings));
        case MAP -> value = in.message(ValueCodec::readEntries);
        case FLAG -> value = in.message(ValueCodec::readFlag);
        default -> in.skip();
      }
    }
    return Optional.ofNullable(value);
  }

  static void write(WireWriter out, WireValue value) {
    if (value instanceof WireValue.Count count) {
      out.message(COUNTER, () -> out.signed(VALUE, count.value()));
    } else if (value instanceof WireValue.Elements elements) {
      out.message(SET, () -> out.strings(VALUE, elements.elements()));
    } else if (value instanceof WireValue.Register register) {
      out.message(REGISTER, () -> out.bytes(VALUE, register.value()));
    } else if (value instanceof WireValue.Registers registers) {
      out.message(REGISTERS, () -> out.strings(VALUE, registers.values()));
    } else if (value instanceof WireValue.Entries entries) {
      out.message(MAP, () -> out.messages(VALUE, entries.entries(), ValueCodec::writeEntry));
    } else {
      out.message(FLAG, () -> out.bool(VALUE, ((WireValue.Flag) value).value()));
    }
  }

  private static WireValue readCount(WireReader in) {
    long value = 0;
    while (in.hasNext()) {
      if (in.next() == VALUE) {
        value = in.signed();
      } else {
        in.skip();
      }
    }
    return new WireValue.Count(value);
  }

  private static List<Bytes> readStrings(WireReader in) {
    List<Bytes> strings = new ArrayList<>();
    while (in.hasNext()) {
      if (in.next() == VALUE) {
        strings.add(in.bytes());
      } else {
        in.skip();
      }
    }
    return strings;
  }

  private static WireValue readRegister(WireReader in) {
    List<Bytes> values = readStrings(in);
    if (values.isEmpty()) {
      throw new ProtocolException("the value of a register is missing");
    }
    return new WireValue.Register(values.get(values.size() - 1));
  }

  private static WireValue readFlag(WireReader in) {
    boolean value = false;
    while (in.hasNext()) {
      if (in.next() == VALUE) {
        value = in.bool();
      } else {
        in.skip();
      }
    }
    return new WireValue.Flag(value);
  }

  private static WireValue readEntries(WireReader in) {
    List<WireValue.Entry> entries = new ArrayList<>();
    while (in.hasNext()) {
      if (in.next() == VALUE) {
        entries.add(in.message(ValueCodec::readEntry));
      } else {
        in.skip();
      }
    }
    return new WireValue.Entries(entries);
  }

  private static WireValue.Entry readEntry(WireReader in) {
    WireMapKey place = null;
    WireValue value = null;
    while (in.hasNext()) {
      switch (in.next()) {
        case PLACE -> place = in.message(ObjectCodec::readPlace);
        case NESTED -> value = in.message(ValueCodec::read).orElse(null);
        default -> in.skip();
      }
    }
    return new WireValue.Entry(
        required(place, "the key of a map entry"), required(value, "the value of a map entry"));
  }

  private static void writeEntry(WireWriter out, WireValue.Entry entry) {
    out.message(NESTED, () -> write(out, entry.value()));
    out.message(PLACE, () -> ObjectCodec.writePlace(out, entry.place()));
  }
}
