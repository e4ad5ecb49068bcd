package io.github.stablecut.crdt;

import io.github.stablecut.crdt.Rga.Operation;
import java.util.List;
import net.jqwik.api.Arbitrary;

/** A list of byte strings with many repetitions. */
class RgaListProperties extends RgaSpecification<List<Bytes>, List<Bytes>> {
  @Override
  RgaList type() {
    return RgaList.TYPE;
  }

  @Override
  Arbitrary<List<Bytes>> contents() {
    return Samples.elementLists();
  }

  @Override
  List<Operation<List<Bytes>>> sample() {
    return List.of(
        RgaList.insert(0, List.of(Samples.A, Samples.B)),
        RgaList.insert(1, List.of(Bytes.EMPTY)),
        Rga.delete(2, 1),
        Rga.reset(),
        RgaList.insert(0, List.of(Samples.A)));
  }

  @Override
  List<List<Bytes>> split(List<Bytes> value) {
    return value.stream().map(List::of).toList();
  }

  @Override
  List<Bytes> join(List<List<Bytes>> elements) {
    return elements.stream().flatMap(List::stream).toList();
  }

  @Override
  int size(List<Bytes> value) {
    return value.size();
  }

  @Override
  int maxElementBytes() {
    return Samples.ELEMENT_BYTES;
  }
}
