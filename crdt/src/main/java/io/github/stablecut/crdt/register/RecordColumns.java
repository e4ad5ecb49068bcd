package io.github.stablecut.crdt.register;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.Decoder;
import io.github.stablecut.crdt.Encoder;
import io.github.stablecut.crdt.FormatException;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Columns of a record with their values, in ascending order of column numbers; in an effect also
 * cleared columns. Immutable.
 */
final class RecordColumns {
  static final RecordColumns NONE = new RecordColumns(new int[0], new Bytes[0]);

  private static final int MIN_COLUMN_BYTES = 2;

  private final int[] numbers;

  /** Null for a cleared column. */
  private final @Nullable Bytes[] values;

  private RecordColumns(int[] numbers, @Nullable Bytes[] values) {
    this.numbers = numbers;
    this.values = values;
  }

  static RecordColumns of(SortedMap<Integer, Optional<Bytes>> columns) {
    int[] numbers = new int[columns.size()];
    @Nullable Bytes[] values = new Bytes[numbers.length];
    int count = 0;
    for (Map.Entry<Integer, Optional<Bytes>> column : columns.entrySet()) {
      numbers[count] = column.getKey();
      values[count++] = column.getValue().orElse(null);
    }
    return new RecordColumns(numbers, values);
  }

  SortedMap<Integer, Optional<Bytes>> toMap() {
    TreeMap<Integer, Optional<Bytes>> map = new TreeMap<>();
    for (int i = 0; i < numbers.length; i++) {
      map.put(numbers[i], Optional.ofNullable(values[i]));
    }
    return map;
  }

  boolean isEmpty() {
    return numbers.length == 0;
  }

  /** The columns whose numbers {@code others} does not contain. */
  RecordColumns without(RecordColumns others) {
    return select(others, false);
  }

  /** The columns with a value. */
  RecordColumns withValues() {
    for (Bytes value : values) {
      if (value == null) {
        return select(NONE, true);
      }
    }
    return this;
  }

  private RecordColumns select(RecordColumns omitted, boolean isWithValues) {
    int[] kept = new int[numbers.length];
    @Nullable Bytes[] keptValues = new Bytes[numbers.length];
    int count = 0;
    int other = 0;
    for (int i = 0; i < numbers.length; i++) {
      while (other < omitted.numbers.length && omitted.numbers[other] < numbers[i]) {
        other++;
      }
      boolean isOmitted = other < omitted.numbers.length && omitted.numbers[other] == numbers[i];
      if (!isOmitted && (!isWithValues || values[i] != null)) {
        kept[count] = numbers[i];
        keptValues[count++] = values[i];
      }
    }
    if (count == numbers.length) {
      return this;
    }
    return count == 0
        ? NONE
        : new RecordColumns(Arrays.copyOf(kept, count), Arrays.copyOf(keptValues, count));
  }

  /** Puts the values into a map. */
  void putInto(Map<Integer, Bytes> map) {
    for (int i = 0; i < numbers.length; i++) {
      Bytes value = values[i];
      if (value != null) {
        map.put(numbers[i], value);
      }
    }
  }

  /** Writes the columns of an effect, some of which may be cleared. */
  void writeChanges(Encoder out) {
    out.writeUnsigned(numbers.length);
    for (int i = 0; i < numbers.length; i++) {
      out.writeUnsigned(numbers[i]);
      out.writeOptionalBytes(Optional.ofNullable(values[i]));
    }
  }

  static RecordColumns readChanges(Decoder in) {
    return read(in, true);
  }

  /** Writes columns that all have values. */
  void write(Encoder out) {
    out.writeUnsigned(numbers.length);
    for (int i = 0; i < numbers.length; i++) {
      out.writeUnsigned(numbers[i]);
      Bytes value = values[i];
      if (value != null) {
        out.writeBytes(value);
      }
    }
  }

  static RecordColumns read(Decoder in) {
    return read(in, false);
  }

  private static RecordColumns read(Decoder in, boolean isChanges) {
    int count = in.readCount(MIN_COLUMN_BYTES);
    if (count == 0) {
      return NONE;
    }
    int[] numbers = new int[count];
    @Nullable Bytes[] values = new Bytes[count];
    for (int i = 0; i < count; i++) {
      numbers[i] = in.readIndex();
      if (i > 0 && numbers[i] <= numbers[i - 1]) {
        throw new FormatException(
            "columns are not in ascending order: %d, %d".formatted(numbers[i - 1], numbers[i]));
      }
      values[i] = isChanges ? in.readOptionalBytes().orElse(null) : in.readBytes();
    }
    return new RecordColumns(numbers, values);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof RecordColumns that
        && Arrays.equals(numbers, that.numbers)
        && Arrays.equals(values, that.values);
  }

  @Override
  public int hashCode() {
    return 31 * Arrays.hashCode(numbers) + Arrays.hashCode(values);
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder("{");
    for (int i = 0; i < numbers.length; i++) {
      text.append(i == 0 ? "" : ", ").append(numbers[i]).append('=').append(values[i]);
    }
    return text.append('}').toString();
  }
}
