package io.github.stablecut.crdt.sequence;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.Decoder;
import io.github.stablecut.crdt.Encoder;
import io.github.stablecut.crdt.internal.sequence.Content;
import io.github.stablecut.crdt.internal.sequence.ElementList;
import io.github.stablecut.crdt.internal.sequence.PackedElements;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * A list for concurrent editing. Elements are byte strings; duplicates are permitted. Operations,
 * effects and complexity are those of {@link Rga}.
 */
public final class RgaList extends Rga<List<Bytes>, List<Bytes>> {
  /** The type. */
  public static final RgaList TYPE = new RgaList();

  private RgaList() {
    super("list", new ByteStrings());
  }

  /**
   * Inserts elements. Refused for a position beyond the end.
   *
   * @param position the number of elements to the left
   */
  public static Operation<List<Bytes>> insert(int position, List<Bytes> elements) {
    return new Insert<>(position, List.copyOf(elements));
  }

  @Override
  public int typeId() {
    return 20;
  }

  @Override
  public String name() {
    return "list";
  }

  @Override
  public List<Bytes> value(State<List<Bytes>> state, VectorClock snapshot) {
    return new ElementList(state.elements());
  }

  /** Elements as unmodifiable lists. */
  private static final class ByteStrings implements Content<List<Bytes>> {
    private static final int MIN_ELEMENT_BYTES = 1;

    @Override
    public int size(List<Bytes> elements) {
      return elements.size();
    }

    @Override
    public List<Bytes> part(List<Bytes> elements, int size, int from, int to) {
      return PackedElements.part(elements, from, to);
    }

    @Override
    public List<Bytes> joined(List<Bytes> left, List<Bytes> right) {
      return joined(List.of(left, right));
    }

    @Override
    public List<Bytes> joined(List<List<Bytes>> parts) {
      List<Bytes> joined = new ArrayList<>();
      parts.forEach(joined::addAll);
      return Collections.unmodifiableList(joined);
    }

    @Override
    public Cutter<List<Bytes>> cutter(List<Bytes> elements) {
      int[] begin = {0};
      return size -> {
        begin[0] += size;
        return PackedElements.copyOf(elements.subList(begin[0] - size, begin[0]));
      };
    }

    @Override
    public void write(List<Bytes> elements, Encoder out) {
      out.writeUnsigned(elements.size());
      elements.forEach(out::writeBytes);
    }

    @Override
    public List<Bytes> read(Decoder in) {
      int count = in.readCount(MIN_ELEMENT_BYTES);
      List<Bytes> elements = new ArrayList<>(count);
      for (int i = 0; i < count; i++) {
        elements.add(in.readBytes());
      }
      return Collections.unmodifiableList(elements);
    }
  }
}
