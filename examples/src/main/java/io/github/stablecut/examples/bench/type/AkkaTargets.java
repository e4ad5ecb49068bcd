package io.github.stablecut.examples.bench.type;

import akka.actor.Address;
import akka.cluster.UniqueAddress;
import akka.cluster.ddata.LWWMap;
import akka.cluster.ddata.ORSet;
import akka.cluster.ddata.PNCounter;
import akka.cluster.ddata.SelfUniqueAddress;
import io.github.stablecut.crdt.Bytes;
import java.util.List;

/**
 * The types of Akka Distributed Data, without a cluster; their deltas are reset as a cluster does.
 */
final class AkkaTargets {
  private static final SelfUniqueAddress HERE =
      new SelfUniqueAddress(new UniqueAddress(new Address("akka", "bench", "127.0.0.1", 1), 1L));

  private AkkaTargets() {}

  /** An observed-remove set. */
  static final class Set implements TypeTarget {
    private final ORSet<Bytes> state;

    Set(List<Bytes> elements) {
      ORSet<Bytes> added = ORSet.create();
      for (Bytes element : elements) {
        added = added.add(HERE, element).resetDelta();
      }
      state = added;
    }

    @Override
    public Object put(Bytes name) {
      return state.add(HERE, name);
    }

    @Override
    public Object remove(Bytes name) {
      return state.remove(HERE, name);
    }

    @Override
    public Object get(Bytes name) {
      return state.contains(name);
    }
  }

  /** A map of last-writer-wins registers. */
  static final class Map implements TypeTarget {
    private static final Bytes VALUE = Bytes.utf8("another value");
    private final LWWMap<Bytes, Bytes> state;

    Map(List<Bytes> names) {
      LWWMap<Bytes, Bytes> put = LWWMap.create();
      for (Bytes name : names) {
        put = put.put(HERE, name, name).resetDelta();
      }
      state = put;
    }

    @Override
    public Object put(Bytes name) {
      return state.put(HERE, name, VALUE);
    }

    @Override
    public Object remove(Bytes name) {
      return state.remove(HERE, name);
    }

    @Override
    public Object get(Bytes name) {
      return state.get(name);
    }
  }

  /** A counter. */
  static final class Counter implements TypeTarget {
    private final PNCounter state = PNCounter.create().increment(HERE, 1).resetDelta();

    @Override
    public Object put(Bytes name) {
      return state.increment(HERE, 3);
    }

    @Override
    public Object remove(Bytes name) {
      return state.decrement(HERE, 3);
    }

    @Override
    public Object get(Bytes name) {
      return state.getValue();
    }
  }
}
