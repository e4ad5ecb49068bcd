package io.github.stablecut.crdt.sequence;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.RgaSpecification;
import io.github.stablecut.crdt.Samples;
import io.github.stablecut.crdt.sequence.Rga.Operation;
import java.util.List;
import net.jqwik.api.Arbitrary;

/** A list of byte strings with many repetitions. */
class RgaListProperties extends RgaSpecification<List<Bytes>, List<Bytes>> {
  @Override
  public RgaList type() {
    return RgaList.TYPE;
  }

  @Override
  public Arbitrary<List<Bytes>> contents() {
    return Samples.elementLists();
  }

  @Override
  public List<Operation<List<Bytes>>> sample() {
    return List.of(
        RgaList.insert(0, List.of(Samples.A, Samples.B)),
        RgaList.insert(1, List.of(Bytes.EMPTY)),
        Rga.delete(2, 1),
        Rga.reset(),
        RgaList.insert(0, List.of(Samples.A)));
  }

  @Override
  public List<List<Bytes>> split(List<Bytes> value) {
    return value.stream().map(List::of).toList();
  }

  @Override
  public List<Bytes> join(List<List<Bytes>> elements) {
    return elements.stream().flatMap(List::stream).toList();
  }

  @Override
  public int size(List<Bytes> value) {
    return value.size();
  }

  @Override
  public int maxElementBytes() {
    return Samples.ELEMENT_BYTES;
  }
}
