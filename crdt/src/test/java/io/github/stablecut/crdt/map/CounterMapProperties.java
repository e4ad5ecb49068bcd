package io.github.stablecut.crdt.map;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.Events;
import io.github.stablecut.crdt.Samples;
import io.github.stablecut.crdt.Specification;
import io.github.stablecut.crdt.map.CounterMap.Add;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;

/** A counter map: the sum per key. */
public class CounterMapProperties
    extends Specification<CounterMap.State, Add, Add, NavigableMap<Bytes, Long>> {
  @Override
  public CounterMap type() {
    return CounterMap.TYPE;
  }

  @Override
  public List<Add> sample() {
    return List.of(new Add(Map.of(Samples.A, 1L, Samples.B, -2L)), new Add(Map.of(Samples.A, 0L)));
  }

  @Override
  public Arbitrary<Add> operations() {
    return Arbitraries.maps(Samples.elements(), Samples.amounts()).ofMaxSize(2).map(Add::new);
  }

  @Override
  public NavigableMap<Bytes, Long> value(Events<Add> visible, VectorClock snapshot) {
    NavigableMap<Bytes, Long> sums = new TreeMap<>();
    visible
        .operations()
        .forEach(add -> add.amounts().forEach((key, amount) -> sums.merge(key, amount, Long::sum)));
    return sums;
  }

  @Override
  public int maxBytes(Events<Add> visible, VectorClock frontier) {
    int keys = value(visible, frontier).size();
    return Samples.COUNT_BYTES + keys * (Samples.ELEMENT_BYTES + Samples.NUMBER_BYTES);
  }
}
